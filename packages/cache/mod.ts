export { createCache } from './cache.ts';
