import type { Sender } from './templates.ts';

/** What mails call their sender: the name in `Example <no-reply@example.com>`, or the host that the links lead to. */
export function senderOf({ mailFrom, publicUrl }: { mailFrom: string; publicUrl: string }): Sender {
  const [, name = ''] = /^\s*"?([^"<]*?)"?\s*<[^<>]*>\s*$/.exec(mailFrom) ?? [];
  return { service: name.trim() || new URL(publicUrl).hostname, publicUrl };
}
