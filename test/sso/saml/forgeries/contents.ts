import type { RefusalReason } from '@bailiwick/sso/refusal.ts';
import type { Craft } from '../craft.ts';
import type { AssertionParts, ResponseParts } from '../texts.ts';
import type { Forgery } from './forgery.ts';

// Correctly signed responses for another service, another sign-in or another time.

const withAssertion = (
  says: RegExp,
  change: (craft: Craft) => Partial<AssertionParts>,
): Forgery => ({
  forge: (craft) => craft.response(craft.sign(craft.assertion(change(craft)))),
  says,
});
const withResponse = (says: RegExp, change: Partial<ResponseParts>): Forgery => ({
  forge: (craft) => craft.response(craft.sign(craft.assertion()), change),
  says,
});
const withText = (says: RegExp, change: (text: string) => string): Forgery => ({
  forge: (craft) => craft.response(craft.sign(change(craft.assertion()))),
  says,
});
const withStatus = (says: RegExp, status: string, reason: RefusalReason): Forgery => ({
  forge: (craft) =>
    craft.response(reason === 'PROVIDER_REFUSED' ? '' : craft.sign(craft.assertion()), { status }),
  says,
  reason,
});

const code = (name: string, inner = '') =>
  `<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${name}">${inner}</samlp:StatusCode>`;
const hours = (count: number) => ({ from: count * 60 - 5, to: count * 60 + 5 });
const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
const elsewhere = 'https://other.example/acs';

export const contents: Record<string, Forgery> = {
  'for another audience': withAssertion(/is for "urn:other": its audience has to be/, () => ({
    audience: 'urn:other',
  })),
  'for no audience': withText(/has no audience/, (text) =>
    text.replace(/<saml:AudienceRestriction>.*<\/saml:AudienceRestriction>/, ''),
  ),
  'for the service and, in a second restriction, another audience': withText(
    /its audience has to be/,
    (text) =>
      text.replace(
        '</saml:Conditions>',
        '<saml:AudienceRestriction><saml:Audience>urn:other</saml:Audience></saml:AudienceRestriction></saml:Conditions>',
      ),
  ),
  'for another recipient': withAssertion(/Recipient has to be/, () => ({ recipient: elsewhere })),
  'for no recipient': withText(/is for nothing: its Recipient/, (text) =>
    text.replace(/ Recipient="[^"]*"/, ''),
  ),
  'for another destination': withResponse(/Destination has to be/, { destination: elsewhere }),
  'for a destination that starts with the right one': {
    forge: (craft) =>
      craft.response(craft.sign(craft.assertion()), { destination: `${craft.acsUrl}/more` }),
    says: /Destination has to be/,
  },
  'for no destination': withResponse(/is for nothing: its Destination/, { destination: undefined }),
  'a Response from another issuer': withResponse(/Response is from "urn:other"/, {
    issuer: 'urn:other',
  }),
  'an assertion from another issuer': withAssertion(/Assertion is from "urn:other"/, () => ({
    issuer: 'urn:other',
  })),
  'from no issuer': {
    forge: (craft) =>
      craft.response(
        craft.sign(craft.assertion()).replace(/<saml:Issuer>[^<]*<\/saml:Issuer>/, ''),
      ),
    says: /not from any of the certificates/,
  },
  'from an issuer name with a child element': withAssertion(/Issuer has to be/, ({ entityId }) => ({
    issuerElement: `<saml:Issuer>${entityId}<saml:x></saml:x></saml:Issuer>`,
  })),
  'a Response without InResponseTo': withResponse(/Response answers no request/, {
    inResponseTo: undefined,
  }),
  'an assertion without InResponseTo': withAssertion(/assertion answers no request/, () => ({
    inResponseTo: undefined,
  })),
  'a Response for another request': withResponse(/Response answers another request/, {
    inResponseTo: '_other',
  }),
  'an assertion for another request': withAssertion(/assertion answers another request/, () => ({
    inResponseTo: '_other',
  })),
  expired: withAssertion(/has expired.*clocks/, () => ({ minutes: hours(-1) })),
  'not valid yet': withAssertion(/not valid yet.*clocks/, () => ({ minutes: hours(1) })),
  'made in the future': withText(/made in the future/, (text) =>
    text.replace(/IssueInstant="[^"]*"/, 'IssueInstant="2999-01-01T00:00:00Z"'),
  ),
  'made long ago and valid forever': withText(/more than a day ago/, (text) =>
    text
      .replace(/IssueInstant="[^"]*"/, 'IssueInstant="2001-01-01T00:00:00Z"')
      .replace(/NotOnOrAfter="[^"]*"/g, 'NotOnOrAfter="2999-01-01T00:00:00Z"'),
  ),
  'without an IssueInstant': withText(/no IssueInstant|not as a time/, (text) =>
    text.replace(/ IssueInstant="[^"]*"/, ''),
  ),
  'with conditions that never end': withText(/until when it is valid/, (text) =>
    text.replace(/(<saml:Conditions[^>]*) NotOnOrAfter="[^"]*"/, '$1'),
  ),
  'with a confirmation that never ends': withText(/until when it is valid/, (text) =>
    text.replace(/(<saml:SubjectConfirmationData[^>]*) NotOnOrAfter="[^"]*"/, '$1'),
  ),
  'with an expired confirmation': withText(/its confirmation ends/, (text) =>
    text.replace(
      /(<saml:SubjectConfirmationData[^>]* NotOnOrAfter=")[^"]*"/,
      '$12001-01-01T00:00:00Z"',
    ),
  ),
  'with an invalid time': withText(/not as a time/, (text) =>
    text.replace(/(<saml:Conditions[^>]* NotOnOrAfter=")[^"]*"/, '$1never"'),
  ),
  'with a time that has no zone': withText(/not a time in UTC/, (text) =>
    text.replace(/(<saml:Conditions[^>]* NotOnOrAfter=")[^"]*"/, '$12999-01-01T00:00:00"'),
  ),
  'without conditions': withAssertion(/no Conditions/, () => ({ conditions: '' })),
  'with an unknown condition': withText(/not understood/, (text) =>
    text.replace('</saml:Conditions>', '<saml:Condition></saml:Condition></saml:Conditions>'),
  ),
  'without a confirmation': withAssertion(/no bearer confirmation/, () => ({ confirmation: '' })),
  'with only a holder-of-key confirmation': withText(/no bearer confirmation/, (text) =>
    text.replace(bearer, 'urn:oasis:names:tc:SAML:2.0:cm:holder-of-key'),
  ),
  'with a confirmation with NotBefore': withText(/NotBefore/, (text) =>
    text.replace(
      /<saml:SubjectConfirmationData( InResponseTo="[^"]*")?/,
      '$& NotBefore="2001-01-01T00:00:00Z"',
    ),
  ),
  'without a subject': withAssertion(/no Subject/, () => ({ subject: '' })),
  'with two NameIDs': withAssertion(/more than one NameID/, () => ({
    nameId: '<saml:NameID>a</saml:NameID><saml:NameID>b</saml:NameID>',
  })),
  'with an endless NameID': withAssertion(/longer than 1024/, () => ({
    nameId: `<saml:NameID>${'a'.repeat(1025)}</saml:NameID>`,
  })),
  'with a NameID that is encrypted': withAssertion(/NameID is encrypted by itself/, () => ({
    nameId: '<saml:EncryptedID></saml:EncryptedID>',
  })),
  'without a sign-in': withAssertion(/no AuthnStatement/, () => ({ statement: '' })),
  'with an expired session': withText(/session with the identity provider has ended/, (text) =>
    text.replace(/SessionIndex="[^"]*"/, '$& SessionNotOnOrAfter="2001-01-01T00:00:00Z"'),
  ),
  'of SAML 1.1': withText(/not of SAML 2.0/, (text) =>
    text.replace('Version="2.0"', 'Version="1.1"'),
  ),
  'refused by the provider': withStatus(
    /answered with Responder, AuthnFailed\./,
    code('Responder', code('AuthnFailed')),
    'PROVIDER_REFUSED',
  ),
  'refused by the provider with a custom status': withStatus(
    /answered with Requester, a status of its own\. It says: “… is unknown”$/,
    code('Requester', '<samlp:StatusCode Value="urn:x:ada@example.com"></samlp:StatusCode>') +
      '<samlp:StatusMessage>ada@example.com is unknown</samlp:StatusMessage>',
    'PROVIDER_REFUSED',
  ),
  'a status that only ends in Success': withStatus(
    /a status of its own/,
    '<samlp:StatusCode Value="urn:x:status:Success"></samlp:StatusCode>',
    'PROVIDER_REFUSED',
  ),
  'no status': withStatus(/no status/, '', 'ANSWER_INVALID'),
  'success without an assertion': {
    forge: (craft) => craft.response(''),
    says: /has no assertion/,
  },
  'an answer to a logout': {
    forge: (craft) =>
      craft
        .response(craft.sign(craft.assertion()))
        .replaceAll('samlp:Response', 'samlp:LogoutResponse'),
    says: /not a SAML Response/,
  },
};
