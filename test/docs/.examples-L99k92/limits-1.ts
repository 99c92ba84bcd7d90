import type { Database } from '@bailiwick/database';
import { createLimiter, perMinute } from '@bailiwick/limits';

export async function sendMail(database: Database, address: string): Promise<void> {
  const limiter = createLimiter(database);
  // Throws resource_exhausted from the fourth use in a minute on.
  await limiter.take(`mail ${address}`, perMinute(3));
}
