import { createCache } from '@bailiwick/cache';

const cache = createCache<string>({ size: 1000, lifetimeMs: 60_000 });
let loads = 0;
const load = async () => `value ${++loads}`;

console.log(await Promise.all([cache.getOrLoad('key', load), cache.getOrLoad('key', load)]));
cache.forget('key');
console.log(await cache.getOrLoad('key', load));
