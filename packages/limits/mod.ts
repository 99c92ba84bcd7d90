export {
  addUses,
  assertWithin,
  type Counted,
  countAddress,
  createLimiter,
  type Limiter,
  purgeCounts,
  RateWindowEntity,
  rateWindowTable,
} from './limits.ts';
export { type Limit, type LimitProfile, perMinute, unlimited } from './profile.ts';
