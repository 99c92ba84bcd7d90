import type { HolderReport } from './revoker.ts';

/**
 * The reports of two revocations of the same keys: the first names who held something, and the second
 * who loaded something in between. Of both the one counts that proves less.
 */
export function joinReports(
  first: readonly HolderReport[],
  second: readonly HolderReport[],
): HolderReport[] {
  const byHolder = new Map(first.map((report) => [report.holder, report]));
  for (const report of second) {
    const earlier = byHolder.get(report.holder);
    const { followers = 0, followersWaited = 0 } = earlier ?? {};
    // A holder that did not answer the second time has named itself the first time.
    const { name, kind } = earlier && report.name === '' ? earlier : report;
    byHolder.set(report.holder, {
      ...(earlier?.state === 'waited' ? earlier : report),
      name,
      kind,
      followers: Math.max(followers, report.followers),
      followersWaited: Math.max(followersWaited, report.followersWaited),
    });
  }
  return [...byHolder.values()];
}
