/**
 * The API's messages that a page may show to a person, and the catalogue's texts for them. Pages show
 * other messages as they are, in English. {{…}} stands for any text, which the text repeats.
 */
export const apiMessages: Readonly<Record<string, string>> = {
  'too many requests, try again later': 'message.tooMany',
  'too many failed sign-ins, try again later': 'message.tooManySignIns',
  'too many failed sign-ins, reset the password': 'message.resetPassword',
  'too many failed sign-ins, ask for a reset of the second factors': 'message.resetFactors',
  'too many sign-ins at once': 'message.busy',
  'the token is not valid any more': 'message.deadToken',
  'permission denied': 'message.denied',
  'sign in with your organisation': 'message.organisationSignIn',
  'this organisation requires single sign-on': 'message.ssoRequired',
  'this organisation does not accept social sign-in': 'message.socialRefused',
  'this organisation does not accept the sign-in of another organisation':
    'message.providerRefused',
  'this invitation is for another address: sign in with the address that it was sent to':
    'message.otherAddress',
  'tenant {{tenant}} is suspended': 'message.suspended',
  'Password must be at least {{count}} characters': 'message.passwordShort',
  'Password must be at most {{count}} characters': 'message.passwordLong',
  'Password is one of the most common passwords': 'message.passwordCommon',
  'Password is known from a data breach': 'message.passwordBreached',
  "Password must not be made of the mail address or the product's name": 'message.passwordMadeOf',
  'Password is required': 'message.passwordMissing',
  'Email must be a mail address': 'message.email',
  'at most {{count}} authenticator apps are allowed': 'message.tooManyApps',
  'a user has at most {{count}} passkeys': 'message.tooManyPasskeys',
  'this passkey is registered already': 'message.passkeyKnown',
  'the passkey was not accepted: {{reason}}': 'message.passkeyRefused',
  '{{tenant}} requires a second factor: add another one first': 'message.lastFactor',
  'a second factor is required first': 'message.factorFirst',
  'registration is closed': 'message.registrationClosed',
  'registration is by invitation: open the link in the mail': 'message.registrationInvited',
  'sign-in by mailed code is switched off': 'message.codesOff',
};
