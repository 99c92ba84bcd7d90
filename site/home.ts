/** The landing page: what Bailiwick is, in one sentence and five promises. */
export function homePage(): string {
  return `---\n${JSON.stringify(home, undefined, 2)}\n---\n`;
}

const home = {
  layout: 'home',
  titleTemplate: 'Identity, access and notifications for platform teams',
  hero: {
    name: 'Bailiwick',
    text: 'Identity, access and notifications for platform teams',
    tagline:
      'Accounts, tenants, groups, roles, single sign-on, an audit trail and signed webhooks, behind one JSON API.',
    actions: [
      { text: 'Get started', link: '/start' },
      { text: 'API reference', link: '/api/', theme: 'alt' },
      { text: 'Receive webhooks', link: '/webhooks', theme: 'alt' },
    ],
  },
  features: [
    {
      title: 'One helm install',
      details: 'Or npm start. PostgreSQL and NATS are all that it needs.',
      link: '/kubernetes',
      linkText: 'Kubernetes',
    },
    {
      title: 'One call shape',
      details:
        'Every operation is a POST with plain JSON, with a typed client, a command-line tool and OpenAPI.',
      link: '/api/',
      linkText: 'API reference',
    },
    {
      title: 'Tenants are walls',
      details: 'Each query names its tenant, and each rule has a test that proves it.',
      link: '/security',
      linkText: 'Security',
    },
    {
      title: 'Revoked means revoked',
      details:
        'When a call that removes a right returns, the right has stopped to work on every gateway.',
      link: '/architecture',
      linkText: 'Architecture',
    },
    {
      title: 'Accepted means delivered',
      details:
        'Each change commits with its event, and survives kills, outages and a wiped broker.',
      link: '/reliability',
      linkText: 'Reliability',
    },
  ],
};
