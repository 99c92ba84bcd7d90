// A workspace of its own: the image has no containers to start, and none of the library's packages.
export * from 'testcontainers';
