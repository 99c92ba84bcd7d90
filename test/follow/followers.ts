import { eventually, type Stack } from '../support/harness.ts';
import type { Place } from './place.ts';
import { connect } from './raw-follower.ts';

/** Makes followers of a place, which a suite opens before its tests. */
export function followersOf(suite: () => { stack: Stack; place: Place }) {
  const about = (UserID = suite().place.user.id) => ({
    Subject: UserID,
    Tenant: suite().place.tenant,
  });

  async function follow(credential = suite().place.credential, tenants?: readonly string[]) {
    const follower = await connect(suite().stack.url);
    const welcome = await follower.hello(credential, tenants);
    return { follower, welcome };
  }

  /**
   * A follower with an entry about the user and a lease. A log tells a change once more within a
   * second, which may drop the entry or end the connection in between.
   */
  const hold = (credential?: string) =>
    eventually('a follower with an entry', async () => {
      const { follower } = await follow(credential);
      const { Handle } = await follower.ask(about());
      const isHeld = await follower.beat().then(
        () => follower.drops().length === 0,
        () => false,
      );
      if (isHeld) return { follower, Handle };
      await follower.close();
      return undefined;
    });

  return { about, follow, hold };
}
