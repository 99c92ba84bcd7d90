/**
 * Whether a tenant's looks are shown: only with a name of its own, as a logo alone or beside the
 * platform's name would pass for the platform's. `platform` is '' if that has no name.
 */
export const hasOwnName = (tenant: string, platform: string): boolean =>
  !['', lettersOf(platform)].includes(lettersOf(tenant));

/** Whether a name reads like one of these. */
export const readsLike = (name: string, others: readonly string[]): boolean =>
  lettersOf(name) !== '' && others.some((other) => lettersOf(other) === lettersOf(name));

/** A name as people read it, without regard to case, spaces and invisible characters. */
const lettersOf = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(/[\p{C}\p{Z}\p{DI}\s]+/gu, '')
    .toLowerCase();
