export {
  callerNetwork,
  countAddress,
  createLimiter,
  homeNetwork,
  type Limit,
  type Limiter,
  type LimitProfile,
  mailLimits,
  perMinute,
  purgeCounts,
  RateWindowEntity,
  rateWindowTable,
} from './limits.ts';
