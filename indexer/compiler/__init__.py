"""The model compiler: safetensors weights in, an ONNX graph in float32 or 8 bits out.

A program of its own: ``indexer.embed.compiled`` starts it as a short child process where a
compiled form is missing, so that the engine never imports ``onnx``. In: a record, a precision and
the folder of verified weights. Out: ``model.onnx`` and ``model.bin`` in a folder. Must not know
where models are kept. Open ``calibrate`` first, then ``encoder_graph``; ``quantize`` says how
products are carried out, ``attention`` how tokens meet.
"""
