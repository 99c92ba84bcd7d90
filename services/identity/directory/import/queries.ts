import type { Run, Statement } from '@bailiwick/store';

/** A stored user who may be one of an import's. */
export type KnownUser = {
  id: string;
  email_key: string;
  external_id: string;
  import_batch: string;
  /** Whether the account is in use although its user has not proven the mailbox. */
  unproven: boolean;
};

// A social sign-in makes such an account. One that an import made has no sign-in before a mail.
const userColumns = `id, email_key, external_id, import_batch, not (email_verified and mailbox_proven) and (last_login_at is not null
           or exists (select 1 from identity_link l where l.tenant = '' and l.user_id = user_account.id)) as unproven`;

const knownUsers: Statement<
  KnownUser,
  [emailKeys: readonly string[], externalIds: readonly string[]]
> = {
  name: 'identity.known_users',
  text: `select ${userColumns} from user_account where email_key = any($1)
         union
         select ${userColumns} from user_account where external_id = any($2) and external_id <> ''`,
};

/** The users with one of these addresses or external ids. */
export const findKnownUsers = (
  run: Run,
  emailKeys: readonly string[],
  externalIds: readonly string[],
): Promise<KnownUser[]> => run(knownUsers, [emailKeys, externalIds]);
