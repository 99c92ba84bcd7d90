// Decides whether a rejection is about the recipient. A sender problem mistaken for a recipient
// problem would suppress every address for 30 days, so ambiguous responses count as sender
// problems.

/**
 * Codes that, without an enhanced code, mean the mailbox (RFC 5321 §4.2.3). 552 and 554 also reject
 * senders.
 */
const mailboxCodes = ['550', '551', '553', '556'];
/**
 * RFC 3463: x.1 is an address, x.2 a mailbox, x.4 the route to its host. x.3, x.5, x.6 and x.7 are
 * systems, protocols, content and policy.
 */
const recipientSubjects = ['1', '2', '4'];
/** RFC 3463 §3.2: sender addresses, and a mail that is too long. */
const senderDetails = ['1.7', '1.8', '1.9', '2.3'];
/** Words in a response to RCPT TO that are about the sender, whose MAIL FROM came before it. */
const aboutSender =
  /\b(relay\w*|sender|client|helo|spf|dkim|dmarc|spam|block(ed|list\w*)|blacklist\w*|policy|authenticat\w+)\b/i;

/**
 * Whether a permanent error is about the recipient. `command`: the command that failed, "RCPT TO"
 * or "DATA".
 */
export function isAboutRecipient(command: string, response: string): boolean {
  const [, code = '', subject = '', detail = ''] =
    /^(5\d\d)(?:[ -]5\.(\d{1,3})\.(\d{1,3}))?/.exec(response) ?? [];
  if (code === '' || aboutSender.test(response.replace(/<[^>]*>/g, ''))) return false;
  if (command !== 'RCPT TO' && command !== 'DATA') return false;
  if (subject !== '')
    return (
      recipientSubjects.includes(subject) &&
      !senderDetails.includes(`${subject}.${detail}`) &&
      (command === 'RCPT TO' || subject !== '4')
    );
  return command === 'RCPT TO' && mailboxCodes.includes(code);
}
