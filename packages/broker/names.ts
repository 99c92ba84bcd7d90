/**
 * The names of streams and subjects at the broker. A prefix separates installations that share an
 * account.
 */
export type Names = {
  stream(name: string): string;
  subject(subject: string): string;
  /** A subject of the broker without the prefix. */
  plain(subject: string): string;
};

/** Names that begin with this prefix; "" = none. */
export function createNames(prefix: string): Names {
  if (prefix === '') {
    const same = (name: string) => name;
    return { stream: same, subject: same, plain: same };
  }
  return {
    stream: (name) => `${prefix}-${name}`,
    subject: (subject) => `${prefix}.${subject}`,
    plain: (subject) => subject.slice(prefix.length + 1),
  };
}
