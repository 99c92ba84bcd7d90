// Whom a refusal speaks of. A mistake of ours, taken for the recipients', would silence us to everybody for 30 days:
// what can be read both ways is not theirs.

/** Answers to a recipient that, without an enhanced code, mean the mailbox (RFC 5321 §4.2.3): 552 and 554 are also said to senders. */
const mailboxCodes = ['550', '551', '553', '556'];
/** RFC 3463: x.1 is an address, x.2 a mailbox, x.4 the way to its host; x.3, x.5, x.6 and x.7 are systems, protocols, contents and policies. */
const recipientSubjects = ['1', '2', '4'];
/** RFC 3463 §3.2: addresses of the sender; and a mail that is too long. */
const senderDetails = ['1.7', '1.8', '1.9', '2.3'];
/** What servers say to the recipient's turn about the sender, who came before it. */
const aboutUs =
  /\b(relay\w*|sender|client|helo|spf|dkim|dmarc|spam|block(ed|list\w*)|blacklist\w*|policy|authenticat\w+)\b/i;

/** Whether a final answer of a mail server is about the recipient. `command` is what it answered, "RCPT TO" or "DATA". */
export function speaksOfRecipient(command: string, response: string): boolean {
  const [, code = '', subject = '', detail = ''] =
    /^(5\d\d)(?:[ -]5\.(\d{1,3})\.(\d{1,3}))?/.exec(response) ?? [];
  if (code === '' || aboutUs.test(response.replace(/<[^>]*>/g, ''))) return false;
  if (command !== 'RCPT TO' && command !== 'DATA') return false;
  if (subject !== '')
    return (
      recipientSubjects.includes(subject) &&
      !senderDetails.includes(`${subject}.${detail}`) &&
      (command === 'RCPT TO' || subject !== '4')
    );
  return command === 'RCPT TO' && mailboxCodes.includes(code);
}
