import { counter, level, timing } from '@bailiwick/process';

// The metrics of a gateway about its followers.

export const metrics = {
  followers: level({
    name: 'bailiwick_followers',
    about: 'Followers that are connected to a gateway.',
  }),
  entries: level({
    name: 'bailiwick_follower_entries',
    about: 'Copies of sign-ins and grants that the followers of a gateway hold.',
  }),
  drops: counter(
    {
      name: 'bailiwick_follower_drops_total',
      about: 'Copies that followers had to drop because of a revocation or a lost lease.',
    },
    {},
  ),
  acknowledgement: timing({
    name: 'bailiwick_follower_acknowledgement_seconds',
    about: 'Time from a drop to its acknowledgement by the follower.',
  }),
  waitedLeases: counter(
    {
      name: 'bailiwick_follower_leases_waited_total',
      about:
        'Followers that were lost while they held copies, whose lease revocations had to wait for.',
    },
    {},
  ),
};
