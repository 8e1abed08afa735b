"""The model compiler: safetensors weights in, an ONNX graph in float32, float16 or 8 bits out.

A separate program: ``indexer.embed.compiled`` runs it as a child process when a compiled form is
missing, so that the engine never imports ``onnx``. In: a record, a precision and the folder of
verified weights. Out: ``model.onnx`` and ``model.bin`` in a folder. Must not know where models are
stored. Open ``calibrate`` first, then ``encoder_graph``, ``modernbert_graph`` and
``decoder_graph``; ``linear`` and ``quantize`` have the matrix products, ``attention`` the
attention, ``sequences`` the text to compare on. ``accept`` checks the files of strangers against
``weight_shapes`` and ``reference``, which computes the same in numpy.
"""
