import { noticeTask, type Task } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import { type Database, onPool } from '@bailiwick/store';
import { Code, ConnectError } from '@connectrpc/connect';
import { assertUser, type Directory, findBot, findUser, shownName } from '../directory.ts';
import { findOperators } from '../grants/queries.ts';
import type { GrantInput } from '../grants/records.ts';

// A role on the platform is a way to act on all accounts. A user who gives it to another user, or to a
// bot, needs a recent sign-in, as for an act on an account, and all operators get a mail. It names the
// reason, which the documented request does not have and callers may omit.

type Deps = { database: Database; directory: Directory; log: Log };

/** The reason of a grant of a platform role, and the mails to the operators. */
export type PlatformNotice = { reason?: string; tasks?: Task[] };

/**
 * Call it before the transaction: it asks identity.
 * @throws permission_denied if the caller signed in more than 15 minutes ago, or without the second
 * factor that the caller has
 */
export async function platformNotice(
  { database, directory, log }: Deps,
  input: GrantInput,
  text: string,
  call: Call,
): Promise<PlatformNotice> {
  const { caller, signal } = call;
  if (input.tenant !== '' || caller.type !== 'user') return {};
  const reason = text.trim();
  const operatorName = await operatorNameOf(directory, call);
  const ids = await findOperators(onPool(database), log);
  const { users } = await directory.getUsers({ ids }, call, { signal });
  const details = {
    operatorName,
    name: await nameOf(directory, input, call),
    role: input.role,
    reason: reason || '–',
  };
  return {
    ...(reason !== '' && { reason }),
    tasks: users
      .filter(({ status }) => status === 'active')
      .map(({ email, locale }) => noticeTask('platform_role_given', email, { locale, ...details })),
  };
}

/** The name of the user who calls, and who has proven a recent sign-in. */
async function operatorNameOf(directory: Directory, call: Call): Promise<string> {
  const { id: userId, credentialId: sessionId } = call.caller;
  try {
    const request = { userId, sessionId };
    return (await directory.proveOperator(request, call, { signal: call.signal })).name;
  } catch (error) {
    if (!(error instanceof ConnectError) || error.code !== Code.Unimplemented) throw error;
    // During an upgrade identity may be an older version, which cannot prove a sign-in. A refusal
    // would fail calls that the version before answers.
    const { name, email } = await assertUser(directory, userId, call);
    return name || email;
  }
}

async function nameOf(
  directory: Directory,
  { subjectType, subject }: GrantInput,
  call: Call,
): Promise<string> {
  if (subjectType === 'bot') return (await findBot(directory, subject, call))?.name ?? subject;
  const user = await findUser(directory, subject, call);
  return user ? shownName(user) : subject;
}
