import type { Run, Statement } from '@bailiwick/store';

// A disabled user may be enabled again, and so stays an operator: to disable the last one must not
// open the platform to the holder of a link.
const operators: Statement<{ exists: boolean }, []> = {
  name: 'access.has_operator',
  text: `select exists (
           select from grant_entry g where g.tenant = '' and g.subject_type = 'user' and g.resource = '' and (g.expires_at is null or g.expires_at > now())
             and not exists (select from subject_state s where s.subject = g.subject and s.state = 'deleted')) as exists`,
};

/** Whether a user holds a role on the whole platform. */
export async function hasOperator(run: Run): Promise<boolean> {
  const [row] = await run(operators, []);
  return row?.exists ?? false;
}

const insertLink: Statement<never, [tokenHash: Uint8Array, seconds: number]> = {
  name: 'access.insert_operator_link',
  text: `with ended as (delete from operator_link where expires_at <= now())
         insert into operator_link (token_hash, expires_at) values ($1, now() + make_interval(secs => $2))`,
};

/** Stores the hash of a link's token, and forgets links that have expired. */
export async function addLink(run: Run, tokenHash: Uint8Array, seconds: number): Promise<void> {
  await run(insertLink, [tokenHash, seconds]);
}

const liveLink: Statement<object, [tokenHash: Uint8Array]> = {
  name: 'access.live_operator_link',
  text: 'select from operator_link where token_hash = $1 and expires_at > now()',
};

/** Whether a token is that of a link that has not expired. */
export const isLiveLink = async (run: Run, tokenHash: Uint8Array): Promise<boolean> =>
  (await run(liveLink, [tokenHash])).length > 0;

const deleteLinks: Statement<never, []> = {
  name: 'access.delete_operator_links',
  text: 'delete from operator_link',
};

/** Uses up every link. */
export async function useUpLinks(run: Run): Promise<void> {
  await run(deleteLinks, []);
}
