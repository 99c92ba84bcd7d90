// The trust for each kind of issuer, and the call with which its job uses it.

export const kinds = ['kubernetes', 'github', 'gitlab', 'other'] as const;
export type Kind = (typeof kinds)[number];

export type TrustFields = {
  kind: Kind;
  audience: string;
  /** Kubernetes, GitLab and others. */
  issuer: string;
  jwks: string;
  namespace: string;
  account: string;
  /** GitHub and GitLab: owner/name. */
  project: string;
  branch: string;
  /** The ID of GitHub's owner, or of GitLab's project. */
  number: string;
  subject: string;
  /** A claim each, as name=value. */
  claims: string[];
};

export const githubIssuer = 'https://token.actions.githubusercontent.com';
export const gitlabIssuer = 'https://gitlab.com';
export const clusterIssuer = 'https://kubernetes.default.svc.cluster.local';

/** The fields that a kind asks for. */
export const fieldsOf: Readonly<Record<Kind, readonly (keyof TrustFields)[]>> = {
  kubernetes: ['issuer', 'namespace', 'account', 'jwks'],
  github: ['project', 'branch', 'number'],
  gitlab: ['issuer', 'project', 'branch', 'number'],
  other: ['issuer', 'subject', 'claims', 'jwks'],
};

type Trust = {
  Issuer: string;
  Audience: string;
  Subject: string;
  Claims: Record<string, string>;
  JWKS: string;
};

/** The fields of a trust as the service knows them. */
export function trustOf(fields: TrustFields): Trust {
  const { kind, issuer, project, branch, number } = fields;
  const Audience = fields.audience.trim();
  const JWKS = fields.jwks.trim();
  if (kind === 'kubernetes') {
    const Subject = `system:serviceaccount:${fields.namespace.trim()}:${fields.account.trim()}`;
    return { Issuer: issuer.trim(), Audience, Subject, Claims: {}, JWKS };
  }
  // An owner's name can change hands, and a project's path too. Their numbers cannot.
  if (kind === 'github') {
    const at = branch.trim() === '' ? '*' : `ref:refs/heads/${branch.trim()}`;
    const Claims = claimsOf({ repository_owner_id: number });
    return {
      Issuer: githubIssuer,
      Audience,
      Subject: `repo:${project.trim()}:${at}`,
      Claims,
      JWKS: '',
    };
  }
  if (kind === 'gitlab') {
    const at = branch.trim() === '' ? '*' : `ref_type:branch:ref:${branch.trim()}`;
    const Claims = claimsOf({ project_id: number });
    const Subject = `project_path:${project.trim()}:${at}`;
    return { Issuer: issuer.trim(), Audience, Subject, Claims, JWKS: '' };
  }
  const Claims = Object.fromEntries(fields.claims.map(splitClaim));
  return { Issuer: issuer.trim(), Audience, Subject: fields.subject.trim(), Claims, JWKS };
}

const claimsOf = (claims: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(claims)
      .map(([name, value]) => [name, value.trim()] as const)
      .filter(([, value]) => value !== ''),
  );

function splitClaim(claim: string): [string, string] {
  const [name = '', ...value] = claim.split('=');
  return [name.trim(), value.join('=').trim()];
}

/** The fields of a stored trust, in the form that fits every issuer. */
export const fieldsFrom = ({ Issuer, Audience, Subject, Claims, JWKS }: Trust): TrustFields => ({
  ...emptyFields(Audience),
  kind: 'other',
  issuer: Issuer,
  subject: Subject,
  claims: Object.entries(Claims).map(([name, value]) => `${name}=${value}`),
  jwks: JWKS,
});

export const emptyFields = (audience: string): TrustFields => ({
  kind: 'github',
  audience,
  issuer: '',
  jwks: '',
  namespace: '',
  account: '',
  project: '',
  branch: '',
  number: '',
  subject: '',
  claims: [],
});

/** Which kind of issuer a stored trust is about. */
export function kindOf({ Issuer, Subject }: Pick<Trust, 'Issuer' | 'Subject'>): Kind {
  if (Issuer === githubIssuer) return 'github';
  if (Subject.startsWith('system:serviceaccount:')) return 'kubernetes';
  return Subject.startsWith('project_path:') ? 'gitlab' : 'other';
}

type Exchange = { kind: Kind; url: string; bot: string; audience: string };

/** How a job exchanges its token for one of the bot. */
export function exchangeOf({ kind, url, bot, audience }: Exchange): string {
  const exchange = (token: string, type = 'jwt') => [
    `curl -sS --fail-with-body ${url}/oauth/token \\`,
    '  -d grant_type=urn:ietf:params:oauth:grant-type:token-exchange \\',
    `  -d subject_token_type=urn:ietf:params:oauth:token-type:${type} \\`,
    `  -d client_id=${bot} ${token}`,
  ];
  if (kind === 'kubernetes')
    return [
      '# In the pod, with a projected token of this audience:',
      `#   serviceAccountToken: { audience: ${audience}, path: token }`,
      ...exchange('--data-urlencode subject_token@/var/run/secrets/bailiwick/token'),
    ].join('\n');
  if (kind === 'github')
    return [
      'permissions:',
      '  id-token: write',
      'steps:',
      '  - run: |',
      ...[
        'job=$(curl -sSG "$ACTIONS_ID_TOKEN_REQUEST_URL" \\',
        `  --data-urlencode "audience=${audience}" \\`,
        '  -H "Authorization: Bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" | jq -r .value)',
        ...exchange('-d subject_token="$job"'),
      ].map((line) => `      ${line}`),
    ].join('\n');
  if (kind === 'gitlab')
    return [
      'deploy:',
      '  id_tokens:',
      '    JOB_TOKEN:',
      `      aud: ${audience}`,
      '  script:',
      '    - |',
      ...exchange('-d subject_token="$JOB_TOKEN"', 'id_token').map((line) => `      ${line}`),
    ].join('\n');
  return exchange('-d subject_token="$TOKEN"').join('\n');
}
