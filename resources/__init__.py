"""Files shipped with Lectern: sample documents, icons, model licences."""
