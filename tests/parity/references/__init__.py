"""What each family's own project does with a network's outputs, by its package where it has one, else in PyTorch.

Each module has `prepare(picture, shape, options)`, the network's input for a picture (H, W, 3 of uint8), and
`expect(outputs, picture, shape, options)`, the results in source pixels as vrt defines them: {"detections": [...]} and
arrays by name. `outputs` are the network's raw ones, by name.
"""
