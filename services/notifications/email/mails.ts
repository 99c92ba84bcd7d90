import type { Caller } from '@bailiwick/shared/caller.ts';
import { normaliseEmail } from '@bailiwick/shared/email.ts';
import { invalid } from '@bailiwick/shared/errors.ts';
import { createId } from '@bailiwick/shared/ids.ts';
import { type KeyRing } from '@bailiwick/shared/seal.ts';
import { openTaskToken } from '@bailiwick/shared/tasks.ts';
import { inSpan } from '@bailiwick/shared/trace.ts';
import { SpanKind } from '@opentelemetry/api';
import { taskOf } from '../queue/context.ts';
import type { Mailer } from './mailer.ts';
import { displayName, renderTemplate, type TemplateName, type Templates, type Values } from './templates.ts';

export type MailDeps = { mailer: Mailer; templates: Templates; ring: KeyRing; publicUrl: string };
export type Mails = ReturnType<typeof createMails>;

/** Writes and sends the mails. What a mail needs besides its request comes with the task: `locale`, `tenantName`. */
export function createMails({ mailer, templates, ring, publicUrl }: MailDeps) {
  const messageHost = new URL(publicUrl).hostname;

  async function send(name: TemplateName, email: string, caller: Caller, values: Values): Promise<void> {
    const { id, extra } = taskOf(caller);
    const { templates: translated, unnamed } = templates(extra['locale'] ?? '');
    const template = translated.get(name);
    if (!template) throw new Error(`there is no mail ${name}`);
    const tenantName = displayName(extra['tenantName'] ?? '') || unnamed;
    const mail = renderTemplate(template, { publicUrl, email, tenantName, ...values });
    // The task's id: a mail that goes out twice after a crash is one mail to whoever compares.
    const span = { kind: SpanKind.CLIENT, attributes: { 'bailiwick.mail': name } };
    await inSpan('smtp send', span, () => mailer.send({ to: mailbox(email), messageId: `<${id || createId('tsk')}@${messageHost}>`, ...mail }));
  }

  return {
    sendNotice: (name: TemplateName, email: string, caller: Caller) => send(name, email, caller, {}),

    /** A mail whose link carries a one-time token in its fragment, which reaches no server log and no Referer. */
    async sendToken(name: TemplateName, page: string, request: { email: string; token: string }, caller: Caller): Promise<void> {
      const token = readToken(ring, request, caller);
      await send(name, request.email, caller, { token, link: `${publicUrl}/${page}#token=${encodeURIComponent(token)}` });
    },
  };
}

/** Sealed in a task, plain in a direct call. */
function readToken(ring: KeyRing, { email, token }: { email: string; token: string }, caller: Caller): string {
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

/** The mailbox as it goes into the envelope, its domain in ASCII. */
function mailbox(email: string): string {
  const { address, domain } = normaliseEmail(email);
  return `${address.slice(0, address.lastIndexOf('@'))}@${domain}`;
}
