import { isIdempotencyKey } from '@bailiwick/idempotency';

console.log(isIdempotencyKey('order-7'), isIdempotencyKey('naïve'));
