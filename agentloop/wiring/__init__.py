"""Where names become objects: goal file to values, values to a crew, a crew to a run."""
