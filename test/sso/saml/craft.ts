import process from 'node:process';
import {
  type AssertionParts,
  assertionText,
  type Encryption,
  encryptText,
  type Keys,
  type Person,
  type ResponseParts,
  responseText,
  type Signing,
  signText,
} from './texts.ts';

/** The request and everything that an honest response contains. */
export type Situation = {
  entityId: string;
  acsUrl: string;
  spEntityId: string;
  spCertificate: string;
  requestId: string | undefined;
  person: Person;
  keys: Keys;
  /** Keys of another signer, which no provider record lists. */
  foreign: Keys;
  now: Date;
};

/** Builds the parts of responses. Each part is honest except for the given changes. */
export type Craft = Situation & {
  assertion(changes?: Partial<AssertionParts>): string;
  response(inner: string, changes?: Partial<ResponseParts>): string;
  sign(text: string, changes?: Partial<Signing>): string;
  encrypt(text: string, changes?: Partial<Encryption>): Promise<string>;
  /** An unsigned assertion for another user. */
  evil: string;
};

let count = 0;

export function craftFor(situation: Situation): Craft {
  const { entityId, acsUrl, spEntityId, requestId, person, now } = situation;
  const newId = () => `_${now.getTime()}-${process.pid}-${++count}`;
  const common = { issuer: entityId, inResponseTo: requestId, now };
  const assertion: Craft['assertion'] = (changes) =>
    assertionText({
      id: newId(),
      audience: spEntityId,
      recipient: acsUrl,
      person,
      ...common,
      ...changes,
    });
  return {
    ...situation,
    assertion,
    response: (inner, changes) =>
      responseText({ id: newId(), destination: acsUrl, ...common, ...changes }, inner),
    sign: (text, changes) => signText(text, { keys: situation.keys, ...changes }),
    encrypt: (text, changes) =>
      encryptText(text, { certificate: situation.spCertificate, ...changes }),
    evil: assertion({ person: { ...person, nameId: 'admin-of-all' } }),
  };
}

export const honest = (craft: Craft): string => craft.response(craft.sign(craft.assertion()));
