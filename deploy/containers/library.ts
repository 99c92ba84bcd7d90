import * as testcontainers from 'testcontainers';

// A workspace of its own: the image has no containers to start, and none of the library's packages.

export const library = testcontainers;
export type Container = testcontainers.GenericContainer;
export type Wait = testcontainers.WaitStrategy;
