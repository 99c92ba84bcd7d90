// The types of ids and tokens. Stored rows and issued tokens contain them: never change an entry.

/** The prefix of an id: its type. */
export type IdPrefix =
  | 'usr' // user
  | 'tnt' // tenant
  | 'inv' // invitation
  | 'scu' // user in a directory that provisions by SCIM
  | 'scn' // part of a directory's requests that is not stored
  | 'grp' // group
  | 'rol' // role
  | 'grt' // grant of a user
  | 'ggr' // grant of a group
  | 'bgr' // grant of a bot
  | 'bot'
  | 'bky' // bot key
  | 'btr' // bot trust
  | 'dom' // domain
  | 'aud' // audit entry
  | 'ses' // session
  | 'lck' // receipt of a lock
  | 'fac' // second factor
  | 'psk' // passkey
  | 'sso' // identity provider
  | 'app' // client of the OpenID provider
  | 'whk' // webhook endpoint
  | 'slk' // chat endpoint
  | 'wpt' // link to the portal of a webhook endpoint
  | 'dek' // data key
  | 'evt' // event
  | 'tsk'; // task

/** The letter of each kind of bearer token, which follows "bwk". */
export const tokenLetters = {
  session: 's',
  botKey: 'b',
  verify: 'v',
  reset: 'r',
  invitation: 'i',
  code: 'c',
  codeRequest: 'q',
  challenge: 'f',
  link: 'l',
  worker: 'w',
  appSecret: 'a',
  support: 'p',
  portalLink: 'o',
  portalSession: 't',
  operatorLink: 'm',
} as const;

/** The kind of a bearer token. */
export type TokenKind = keyof typeof tokenLetters;
