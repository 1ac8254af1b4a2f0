"""What `moim bench` measures. Every figure stands beside a baseline of the same run, and its goal."""
