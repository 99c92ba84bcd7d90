export {
  callerNetwork,
  countAddress,
  createLimiter,
  homeNetwork,
  type Limit,
  type Limiter,
  type LimitProfile,
  perMinute,
  purgeCounts,
  RateWindowEntity,
  rateWindowTable,
  unlimited,
} from './limits.ts';
