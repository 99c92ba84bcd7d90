// Applications that the console knows: their addresses, and their configurations. Those of Grafana,
// Argo CD and kubectl are the ones of docs/connect-applications.md.

export type Connection = {
  issuer: string;
  client: string;
  secret: string;
  /** The redirect address that is registered. */
  redirect: string;
};

export type Snippet = { name: string; code: string };

type Product = {
  name: string;
  kind: 'web' | 'native';
  scopes: readonly string[];
  /** The address of the application itself; '' = it is on the user's computer. */
  example: string;
  /** Follows the address of the application in its redirect address. */
  path: string;
  /** Follows it in the address after signing out. */
  signedOut?: string;
  snippets: (connection: Connection & { home: string }) => Snippet[];
};

export const productNames = ['grafana', 'argocd', 'gitlab', 'kubectl'] as const;
export type ProductName = (typeof productNames)[number];

const usual = ['openid', 'profile', 'email', 'groups', 'offline_access'];

export const products: Readonly<Record<ProductName, Product>> = {
  grafana: {
    name: 'Grafana',
    kind: 'web',
    scopes: usual,
    example: 'https://grafana.example.com',
    path: '/login/generic_oauth',
    signedOut: '/login',
    snippets: (connection) => [{ name: 'grafana.ini', code: grafanaOf(connection) }],
  },
  argocd: {
    name: 'Argo CD',
    kind: 'web',
    scopes: usual,
    example: 'https://argocd.example.com',
    path: '/auth/callback',
    signedOut: '',
    snippets: (connection) => [
      { name: 'argocd-cm', code: argocdOf(connection) },
      { name: 'argocd-secret', code: `oidc.bailiwick.clientSecret: ${connection.secret}` },
    ],
  },
  gitlab: {
    name: 'GitLab',
    kind: 'web',
    scopes: ['openid', 'profile', 'email'],
    example: 'https://gitlab.example.com',
    path: '/users/auth/openid_connect/callback',
    signedOut: '',
    snippets: (connection) => [{ name: 'gitlab.rb', code: gitlabOf(connection) }],
  },
  kubectl: {
    name: 'Kubernetes',
    kind: 'native',
    scopes: ['openid', 'email', 'groups', 'offline_access'],
    example: '',
    path: 'http://localhost:8000',
    snippets: (connection) => [
      { name: 'kubeconfig', code: kubeconfigOf(connection) },
      { name: 'kube-apiserver', code: apiServerOf(connection) },
    ],
  },
};

/** The redirect address of a product at an address of its own. */
export const redirectOf = (product: ProductName, home: string): string =>
  `${home.trim().replace(/\/+$/, '')}${products[product].path}`;

/** The product whose redirect address this is. */
export const productOf = (redirects: readonly string[]): ProductName | undefined =>
  productNames.find((name) => redirects.some((uri) => uri.endsWith(products[name].path)));

export function snippetsOf(product: ProductName, connection: Connection): Snippet[] {
  const { path, snippets } = products[product];
  const home = connection.redirect.slice(0, -path.length);
  return snippets({ ...connection, home });
}

type ProductConnection = Connection & { home: string };

const grafanaOf = ({ issuer, client, secret, home }: ProductConnection) =>
  `[server]
root_url = ${home}

[auth.generic_oauth]
enabled = true
name = Bailiwick
client_id = ${client}
client_secret = ${secret}
scopes = openid profile email groups offline_access
auth_url = ${issuer}/oauth/authorize
token_url = ${issuer}/oauth/token
api_url = ${issuer}/oauth/userinfo
use_pkce = true
use_refresh_token = true
login_attribute_path = email
name_attribute_path = name
groups_attribute_path = groups
role_attribute_path = contains(roles[*], 'owner') && 'Admin' || contains(groups[*], 'engineering/platform') && 'Editor' || 'Viewer'
role_attribute_strict = true
signout_redirect_url = ${issuer}/oauth/logout?post_logout_redirect_uri=${encodeURIComponent(`${home}/login`)}`;

const argocdOf = ({ issuer, client, home }: ProductConnection) =>
  `url: ${home}
oidc.config: |
  name: Bailiwick
  issuer: ${issuer}
  clientID: ${client}
  clientSecret: $oidc.bailiwick.clientSecret
  enablePKCEAuthentication: true
  requestedScopes: [openid, profile, email, groups, offline_access]
  refreshTokenThreshold: 2m
  logoutURL: ${issuer}/oauth/logout?id_token_hint={{token}}&post_logout_redirect_uri={{logoutRedirectURL}}`;

const gitlabOf = ({ issuer, client, secret, redirect }: ProductConnection) =>
  `gitlab_rails['omniauth_providers'] = [
  {
    name: "openid_connect",
    label: "Bailiwick",
    args: {
      name: "openid_connect",
      scope: ["openid", "profile", "email"],
      response_type: "code",
      issuer: "${issuer}",
      discovery: true,
      client_auth_method: "basic",
      uid_field: "sub",
      pkce: true,
      client_options: {
        identifier: "${client}",
        secret: "${secret}",
        redirect_uri: "${redirect}"
      }
    }
  }
]`;

const kubeconfigOf = ({ issuer, client }: ProductConnection) =>
  `users:
  - name: bailiwick
    user:
      exec:
        apiVersion: client.authentication.k8s.io/v1
        interactiveMode: IfAvailable
        command: kubectl
        args:
          - oidc-login
          - get-token
          - --oidc-issuer-url=${issuer}
          - --oidc-client-id=${client}
          - --oidc-extra-scope=email
          - --oidc-extra-scope=groups
          - --oidc-extra-scope=offline_access`;

const apiServerOf = ({ issuer, client }: ProductConnection) =>
  `- --oidc-issuer-url=${issuer}
- --oidc-client-id=${client}
- --oidc-username-claim=email
- '--oidc-username-prefix=bailiwick:'
- --oidc-groups-claim=groups
- '--oidc-groups-prefix=bailiwick:'`;
