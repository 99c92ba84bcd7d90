import type { Caller } from '@bailiwick/shared/caller.ts';
import { normaliseEmail } from '@bailiwick/shared/email.ts';
import { failedPrecondition, invalid } from '@bailiwick/shared/errors.ts';
import { createId } from '@bailiwick/shared/ids.ts';
import type { Limit, Limiter } from '@bailiwick/shared/limits.ts';
import { type KeyRing } from '@bailiwick/shared/seal.ts';
import { openTaskToken } from '@bailiwick/shared/tasks.ts';
import { inSpan } from '@bailiwick/shared/trace.ts';
import { SpanKind } from '@opentelemetry/api';
import { taskOf } from '../queue/context.ts';
import { mailLimited, mailSuppressed } from '../queue/outcome.ts';
import { type Mailer, MailRefused } from './mailer.ts';
import type { TemplateName } from './placeholders.ts';
import type { Suppressions } from './suppression.ts';
import { type MailValues, renderMail, type Sender, type Templates } from './templates.ts';

export type MailDeps = {
  mailer: Mailer;
  templates: Templates;
  ring: KeyRing;
  sender: Sender;
  suppressions: Pick<Suppressions, 'find' | 'add' | 'nameOf'>;
  limiter: Pick<Limiter, 'use'>;
  /** Mails of one kind to one address; more are dropped. */
  limit: Limit;
};
export type Mails = ReturnType<typeof createMails>;

/**
 * Mails with a token are counted where they are asked for (identity, access). Their windows and these begin at different moments: what
 * is allowed there is never dropped here, where the token before it has been made void already.
 */
const asked: readonly TemplateName[] = [
  'verification',
  'already_registered',
  'address_verification',
  'reset',
  'invitation',
];

/** Writes and sends the mails. What a mail needs besides its request comes with the task: `locale`, `tenantName`, `inviterName`, `name`, `date`. */
export function createMails(deps: MailDeps) {
  const { mailer, templates, ring, sender, suppressions } = deps;
  const messageHost = new URL(sender.publicUrl).hostname;

  async function send(
    mail: TemplateName,
    request: { email: string },
    caller: Caller,
    values: Pick<MailValues, 'token' | 'link'>,
  ): Promise<void> {
    const { id, extra } = taskOf(caller);
    const email = normaliseEmail(request.email);
    await assertMayMail(deps, mail, email.key, caller);
    const written = renderMail(templates, mail, extra['locale'] ?? '', {
      ...extra,
      ...sender,
      email: email.address,
      ...values,
    });
    // The mailbox as it goes into the envelope, its domain in ASCII.
    const to = `${email.address.slice(0, email.address.lastIndexOf('@'))}@${email.domain}`;
    // The task's id: a mail that goes out twice after a crash is one mail to whoever compares.
    const messageId = `<${id || createId('tsk')}@${messageHost}>`;
    const span = { kind: SpanKind.CLIENT, attributes: { 'bailiwick.mail': mail } };
    try {
      await inSpan('smtp send', span, () => mailer.send({ to, messageId, ...written }));
    } catch (error) {
      if (error instanceof MailRefused && error.suppress)
        await suppressions.add(email.key, error.responseCode);
      throw error;
    }
  }

  return {
    sendNotice: (mail: TemplateName, request: { email: string }, caller: Caller) =>
      send(mail, request, caller, {}),

    /** A mail whose link carries a one-time token in its fragment, which reaches no server log and no Referer. */
    async sendToken(
      mail: TemplateName,
      page: string,
      request: { email: string; token: string },
      caller: Caller,
    ): Promise<void> {
      const token = readToken(ring, request, caller);
      await send(mail, request, caller, {
        token,
        link: `${sender.publicUrl}/${page}#token=${encodeURIComponent(token)}`,
      });
    },
  };
}

/** Throws where the address is not to be mailed: the queue then drops the mail, and nobody is told. */
async function assertMayMail(
  { suppressions, limiter, limit }: MailDeps,
  mail: TemplateName,
  emailKey: string,
  caller: Caller,
): Promise<void> {
  if (await suppressions.find(emailKey))
    throw failedPrecondition('mails to this address were refused', mailSuppressed);
  // A mail counts once, however often it is attempted.
  if (taskOf(caller).attempt > 1) return;
  // Each kind for itself: whoever can cause one kind cannot have another dropped.
  const most = asked.includes(mail) ? { ...limit, count: 2 * limit.count } : limit;
  const wait = await limiter.use(`mail ${mail} ${suppressions.nameOf(emailKey)}`, most);
  if (wait > 0) throw failedPrecondition('the address has had too many mails', mailLimited);
}

/** Sealed in a task, plain in a direct call. */
function readToken(
  ring: KeyRing,
  { email, token }: { email: string; token: string },
  caller: Caller,
): string {
  const direct = taskOf(caller).id === '';
  try {
    const plain = openTaskToken(ring, email, token);
    if (/^[\x21-\x7e]+$/.test(plain)) return plain;
  } catch (error) {
    // Of a task it means that our key ring is not the one it was sealed with: that can be put right.
    if (!direct) throw error;
  }
  throw invalid('Token must be a token');
}
