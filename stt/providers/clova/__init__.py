"""CLOVA Speech, streaming over gRPC. Nothing here imports gRPC before a stream is opened."""
