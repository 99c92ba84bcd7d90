// The sidebar: which documents of the repository become pages, in which group and order.

/** A document, or a pattern of documents. Files that are not there are left out. */
export type Document = {
  file: string;
  /** The page's path below the site. By default `docs/x.md` becomes `x.md`. */
  path?: string;
  /** The link in the sidebar. By default the document's first heading. */
  label?: string;
};

export type Group = { title: string; documents: readonly Document[] };

export const groups: readonly Group[] = [
  {
    title: 'Start',
    documents: [
      { file: 'README.md', path: 'start.md', label: 'Get started' },
      { file: 'docs/concepts.md', label: 'Concepts' },
      { file: 'docs/console.md', label: 'Console' },
      { file: 'docs/faq.md', label: 'Questions and answers' },
      { file: 'docs/comparison.md', label: 'Comparison' },
    ],
  },
  {
    title: 'API',
    documents: [
      { file: 'docs/api.md' },
      { file: 'docs/authzen.md' },
      { file: 'docs/add-sign-in.md' },
      { file: 'docs/protect-an-application.md' },
      { file: 'docs/follow.md' },
      { file: 'docs/protect-a-python-application.md' },
      { file: 'docs/protect-a-go-application.md' },
      { file: 'README.md', path: 'errors.md', label: 'Understand an error' },
      { file: 'packages/client/README.md', path: 'client.md', label: 'TypeScript client' },
      { file: 'packages/server/README.md', path: 'server.md', label: 'TypeScript server library' },
      { file: 'packages/cli/README.md', path: 'cli.md', label: 'Command line' },
    ],
  },
  {
    title: 'Webhooks and events',
    documents: [
      { file: 'docs/webhooks.md', label: 'Receive webhooks' },
      { file: 'docs/egress.md', label: 'Egress guard' },
      { file: 'docs/mail.md', label: 'Mail' },
    ],
  },
  {
    title: 'Sign-in',
    documents: [
      { file: 'docs/sign-in.md', label: 'Sign-in page' },
      { file: 'docs/sign-in-rules.md', label: 'Rules of signing in' },
      { file: 'docs/factors.md', label: 'Second factors and passkeys' },
      { file: 'docs/social-sign-in.md', label: 'Google, GitHub and others' },
      { file: 'docs/branding.md', label: 'Branding' },
      { file: 'docs/issuer.md', label: 'Sign in with Bailiwick' },
      { file: 'docs/connect-applications.md' },
      { file: 'docs/sso.md', label: 'OpenID Connect and SAML' },
      { file: 'docs/apps.md', label: 'Apps' },
      { file: 'docs/keyless-bots.md', label: 'Keyless bots' },
      { file: 'docs/access-as-pull-requests.md', label: 'Access as pull requests' },
      { file: 'docs/domains.md', label: 'Email domains' },
      { file: 'docs/scim.md', label: 'Provision with SCIM' },
      { file: 'docs/moving-in.md', label: 'Move from another system' },
    ],
  },
  {
    title: 'Operations',
    documents: [
      { file: 'docs/kubernetes.md', label: 'Kubernetes' },
      { file: 'helm/bailiwick/README.md', path: 'chart.md', label: 'Helm chart' },
      { file: 'deploy/examples/README.md', path: 'examples.md', label: 'Examples' },
      { file: 'docs/support.md', label: 'Support access' },
      { file: 'docs/lock.md', label: 'Lock a user, bot or app' },
      { file: 'docs/receivers-portal.md', label: 'Receivers’ portal' },
      { file: 'docs/operations.md', label: 'Images, backups, upgrades' },
      { file: 'docs/sizing.md', label: 'Sizing' },
      { file: 'docs/observability.md', label: 'Logs, traces, metrics' },
      { file: 'docs/runbooks.md', label: 'Runbooks' },
    ],
  },
  {
    title: 'Security and reliability',
    documents: [
      { file: 'docs/security.md', label: 'Security' },
      { file: 'docs/keys.md', label: 'Keys' },
      { file: 'docs/reliability.md', label: 'Reliability' },
      { file: 'docs/caches.md', label: 'Caches' },
      { file: 'docs/performance.md', label: 'Performance' },
    ],
  },
  {
    title: 'Reference',
    documents: [
      { file: 'docs/configuration.md', label: 'Configuration' },
      { file: 'docs/permissions.md', label: 'Permissions' },
      { file: 'docs/events.md', label: 'Events' },
    ],
  },
  {
    title: 'Decisions',
    documents: [
      { file: 'docs/decisions/README.md', path: 'decisions/index.md', label: 'All decisions' },
      { file: 'docs/decisions/*.md' },
    ],
  },
  {
    title: 'Project',
    documents: [
      { file: 'ARCHITECTURE.md', path: 'architecture.md', label: 'Architecture' },
      { file: 'CHANGELOG.md', path: 'changelog.md', label: 'Changelog' },
      { file: 'CONTRIBUTING.md', path: 'contributing.md', label: 'Contributing' },
      { file: 'docs/glossary.md', label: 'Glossary' },
      { file: 'SECURITY.md', path: 'security-policy.md', label: 'Report a vulnerability' },
      // A new document of docs/ is never lost: it stands here until it gets a better place.
      { file: 'docs/*.md' },
    ],
  },
];

/** The group whose tables are linked by their rows, after a link to the API reference. */
export const referenceGroup = 'Reference';

/** Sections of README.md that are pages of their own, or that the sidebar replaces. */
export const readme = {
  errors: { page: 'errors.md', title: 'Understand an error' },
  start: { page: 'start.md', title: 'Get started' },
  errorSections: ['When something is refused'],
  skippedSections: ['Read on'],
} as const;
