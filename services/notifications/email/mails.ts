import { createId, invitationProof, type MailLimit, normaliseEmail } from '@bailiwick/contract';
import { failedPrecondition, invalid } from '@bailiwick/errors';
import { type KeyRing, sealForPurpose } from '@bailiwick/keys';
import { openTaskToken } from '@bailiwick/outbox';
import { inSpan } from '@bailiwick/process';
import type { Limiter } from '@bailiwick/store';
import { SpanKind } from '@opentelemetry/api';
import { mailLimited, mailSuppressed } from '../queue/attempt-outcome.ts';
import type { TaskAttempt } from '../sending/task.ts';
import type { Brands } from './brands.ts';
import { type Mailer, MailRefused } from './mailer.ts';
import type { TemplateName } from './placeholders.ts';
import type { Suppressions } from './suppression.ts';
import { type MailValues, renderMail, type Sender, type Templates } from './templates.ts';

export type MailDeps = {
  mailer: Mailer;
  templates: Templates;
  ring: KeyRing;
  sender: Sender;
  brands: Brands;
  suppressions: Pick<Suppressions, 'find' | 'add' | 'nameOf'>;
  limiter: Pick<Limiter, 'useInBatch'>;
  /** The limit of mails of one kind to one address; further mails are dropped. */
  limit: MailLimit;
};
export type Mails = ReturnType<typeof createMails>;

/**
 * Mails that the requesting service (identity, access) has already counted. Its windows start at
 * other times, so the limit here is twice as high: a mail allowed there must not be dropped here,
 * because its predecessor's token is already revoked.
 */
const countedElsewhere: readonly TemplateName[] = [
  'verification',
  'already_registered',
  'address_verification',
  'reset',
  'sign_in_code',
  'invitation',
];

/**
 * Renders and sends mails. Values beyond the request come with the task: `locale`, `tenantName`,
 * `inviterName`, `name`, `date`, `left`, `tenant`, whose looks the mail has, and `about`, the subject
 * of the limit of mails.
 */
export function createMails(deps: MailDeps) {
  const { mailer, templates, ring, sender, suppressions, brands } = deps;
  const messageHost = new URL(sender.publicUrl).hostname;

  async function send(
    mail: TemplateName,
    request: { email: string },
    attempt: TaskAttempt,
    values: Pick<MailValues, 'token' | 'link'>,
  ): Promise<void> {
    const { id, extra } = attempt;
    const email = normaliseEmail(request.email);
    await assertMayMail(deps, mail, email.key, attempt);
    const mailValues = { ...extra, ...sender, email: email.address, ...values };
    const brand = await brands.of(extra['tenant'] ?? '');
    const content = renderMail(templates, mail, extra['locale'] ?? '', mailValues, brand);
    // The envelope address, with the domain in ASCII.
    const to = `${email.address.slice(0, email.address.lastIndexOf('@'))}@${email.domain}`;
    // The task's id, so that a mail sent twice after a crash can be recognised as one.
    const messageId = `<${id || createId('tsk')}@${messageHost}>`;
    const span = { kind: SpanKind.CLIENT, attributes: { 'bailiwick.mail': mail } };
    try {
      await inSpan('smtp send', span, () => mailer.send({ to, messageId, ...content }));
    } catch (error) {
      if (error instanceof MailRefused && error.suppress)
        await suppressions.add(email.key, error.responseCode, id);
      throw error;
    }
  }

  return {
    sendNotice: (mail: TemplateName, request: { email: string }, attempt: TaskAttempt) =>
      send(mail, request, attempt, {}),

    /**
     * A mail with a one-time token in the fragment of its link, so that no server log and no
     * Referer contains it.
     */
    async sendToken(
      mail: TemplateName,
      page: string,
      request: { email: string; token: string },
      attempt: TaskAttempt,
    ): Promise<void> {
      const token = readToken(ring, request, attempt);
      const proof = mail === 'invitation' ? proofOf(ring, request.email, token) : {};
      const fragment = new URLSearchParams({ token, ...proof }).toString();
      // The page looks like the tenant, in the mail's language.
      const { tenant = '', locale = '' } = attempt.extra;
      const search = new URLSearchParams({
        ...(tenant && { tenant }),
        ...(locale && { ui_locale: locale }),
      }).toString();
      const path = search === '' ? page : `${page}?${search}`;
      await send(mail, request, attempt, {
        token,
        link: `${sender.publicUrl}/${path}#${fragment}`,
      });
    },
  };
}

/** Proves that the link of an invitation comes from the mail: its inviter knows the token too. */
const proofOf = (ring: KeyRing, email: string, token: string) => ({
  proof: sealForPurpose(ring, invitationProof, normaliseEmail(email).key, [token]),
});

/** Throws if the address must not get the mail. The queue then drops the mail silently. */
async function assertMayMail(
  { suppressions, limiter, limit }: MailDeps,
  mail: TemplateName,
  emailKey: string,
  attempt: TaskAttempt,
): Promise<void> {
  // Each kind has its own limit: a caller who can trigger one kind must not cause another kind to
  // be dropped.
  const most = countedElsewhere.includes(mail)
    ? { ...limit, count: 2 * (limit.others + limit.known) }
    : limit;
  // An act on the platform has a limit of its own: others must not hide it.
  const about = attempt.extra['about'] ?? '';
  const key = `mail ${mail} ${suppressions.nameOf(emailKey)}${about === '' ? '' : ` ${about}`}`;
  if (await suppressions.find(emailKey))
    throw failedPrecondition('the address is suppressed', mailSuppressed);
  // All attempts of a mail count once.
  const wait = attempt.number > 1 ? 0 : await limiter.useInBatch(key, most);
  if (wait > 0) throw failedPrecondition('too many mails to the address', mailLimited);
}

/** The token is sealed in a task and plain in a direct call. */
function readToken(
  ring: KeyRing,
  { email, token }: { email: string; token: string },
  attempt: TaskAttempt,
): string {
  const direct = attempt.id === '';
  try {
    const plain = openTaskToken(ring, email, token);
    if (/^[\x21-\x7e]+$/.test(plain)) return plain;
  } catch (error) {
    // In a task this means that the key ring differs from the one that sealed it, which an operator
    // can fix.
    if (!direct) throw error;
  }
  throw invalid('Token is malformed');
}
