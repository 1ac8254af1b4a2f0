"""CLOVA Speech as a streaming speech engine. Nothing here imports gRPC before a stream is opened."""
