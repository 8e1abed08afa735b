#!/bin/sh
# Lectern in Raycast: add the folder of this file in Raycast's settings, under Script Commands.
# @raycast.schemaVersion 1
# @raycast.title Search in Lectern
# @raycast.mode fullOutput
# @raycast.argument1 { "type": "text", "placeholder": "question" }
exec lectern search --limit 10 -- "$1"
