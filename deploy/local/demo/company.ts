// The company of the demo: who is there, and what they may do.

export const demoPassword = 'bailiwick demo';
export const company = { Name: 'Acme Instruments', Slug: 'acme' };
export const domain = 'acme.example';

/** The people who sign in to show something, by what they do. */
export const cast = {
  owner: 'Ada Lovelace',
  administrator: 'Grace Hopper',
  auditor: 'Mary Somerville',
  member: 'Alan Turing',
  operator: 'Margaret Hamilton',
} as const;

export const addressOf = (name: string): string =>
  `${name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z ]/g, '')
    .toLowerCase()
    .replaceAll(' ', '.')}@${domain}`;

type Group = { Path: string; Name: string };

const group = (path: string, ...names: string[]): Group[] =>
  names.map((Name) => ({
    Path: `${path}${Name.toLowerCase().replaceAll(' ', '-')}`,
    Name,
  }));

/** Parents come before the groups below them. */
export const groups: readonly Group[] = [
  ...group('', 'Engineering', 'Operations', 'Sales', 'Support', 'Finance', 'People', 'Research'),
  ...group('engineering/', 'Platform', 'Firmware', 'Security', 'Web', 'Quality'),
  ...group('engineering/platform/', 'Databases', 'Delivery', 'Observability'),
  ...group('engineering/firmware/', 'Sensors', 'Optics'),
  ...group('engineering/web/', 'Portal', 'Shop'),
  ...group('operations/', 'Manufacturing', 'Logistics', 'Purchasing'),
  ...group('operations/manufacturing/', 'Assembly', 'Calibration'),
  ...group('sales/', 'EMEA', 'Americas', 'Asia Pacific', 'Partners'),
  ...group('sales/emea/', 'DACH', 'Nordics', 'Iberia'),
  ...group('support/', 'First Line', 'Field Service', 'Training'),
  ...group('finance/', 'Accounting', 'Controlling', 'Payroll'),
  ...group('people/', 'Recruiting'),
  ...group('research/', 'Materials', 'Algorithms'),
];

/** The founders, with the group that each is in. */
export const founders: readonly (readonly [name: string, group: string])[] = [
  [cast.owner, 'engineering'],
  [cast.administrator, 'engineering/platform'],
  [cast.auditor, 'finance/controlling'],
  [cast.member, 'engineering/security'],
  ['Katherine Johnson', 'engineering/platform/databases'],
  ['Emmy Noether', 'research/algorithms'],
  ['Dorothy Vaughan', 'engineering/platform/delivery'],
  ['Lise Meitner', 'research'],
  ['Hedy Lamarr', 'engineering/firmware'],
  ['Mary Jackson', 'engineering/firmware/sensors'],
  ['Annie Easley', 'engineering/platform'],
  ['Rosalind Franklin', 'research/materials'],
  ['Chien-Shiung Wu', 'engineering/quality'],
  ['Edsger Dijkstra', 'engineering/web'],
  ['Barbara Liskov', 'engineering/web/portal'],
  ['Niklaus Wirth', 'engineering/web/shop'],
  ['Maria Mitchell', 'sales'],
  ['Vera Rubin', 'sales/emea'],
  ['Cecilia Payne', 'sales/emea/nordics'],
  ['Henrietta Leavitt', 'sales/americas'],
  ['Caroline Herschel', 'support'],
  ['Williamina Fleming', 'support/first-line'],
  ['Jocelyn Bell', 'support/field-service'],
  ['Beatrice Shilling', 'operations/manufacturing'],
  ['Lillian Gilbreth', 'operations'],
];

/** Who joins by invitation, in this order, one or two a working day. */
export const joiners: readonly (readonly [name: string, group: string])[] = [
  ['Émilie du Châtelet', 'research/algorithms'],
  ['Sofia Kovalevskaya', 'research'],
  ['Hypatia Alexandris', 'support/training'],
  ['Maryam Mirzakhani', 'research/algorithms'],
  ['Ida Rhodes', 'engineering/platform/databases'],
  ['Kathleen Booth', 'engineering/firmware'],
  ['Jean Bartik', 'engineering/platform/delivery'],
  ['Betty Holberton', 'engineering/quality'],
  ['Frances Allen', 'engineering/platform'],
  ['Adele Goldberg', 'engineering/web/portal'],
  ['Radia Perlman', 'engineering/platform/observability'],
  ['Karen Jones', 'engineering/web/shop'],
  ['Evelyn Boyd', 'engineering/security'],
  ['Sophie Wilson', 'engineering/firmware/sensors'],
  ['Lynn Conway', 'engineering/firmware/optics'],
  ['Donald Knuth', 'research/algorithms'],
  ['Tony Hoare', 'engineering/quality'],
  ['Konrad Zuse', 'sales/emea/dach'],
  ['Carl Gauss', 'finance/accounting'],
  ['Leonhard Euler', 'finance/payroll'],
  ['Ruby Hirose', 'research/materials'],
  ['Inge Lehmann', 'sales/emea/nordics'],
  ['Wanda Orlikowski', 'people'],
  ['Mileva Maric', 'people/recruiting'],
  ['Joan Clarke', 'engineering/security'],
  ['Ángela Ruiz', 'sales/emea/iberia'],
  ['Tu Youyou', 'sales/asia-pacific'],
  ['Asima Chatterjee', 'sales/partners'],
  ['Stephanie Kwolek', 'operations/purchasing'],
  ['Nettie Stevens', 'operations/logistics'],
  ['Alice Ball', 'operations/manufacturing/assembly'],
  ['Ellen Swallow', 'operations/manufacturing/calibration'],
  ['Florence Nightingale', 'support/first-line'],
  ['Elizabeth Blackwell', 'support/field-service'],
];

export const roles = [
  {
    Slug: 'report-editor',
    Name: 'Report editor',
    Description: 'Writes and deletes reports.',
    Permissions: ['app.reports.*'],
  },
  {
    Slug: 'report-reader',
    Name: 'Report reader',
    Description: 'Reads reports.',
    Permissions: ['app.reports.read'],
  },
  {
    Slug: 'device-operator',
    Name: 'Device operator',
    Description: 'Calibrates and restarts instruments.',
    Permissions: ['app.devices.read', 'app.devices.calibrate', 'app.devices.restart'],
  },
  {
    Slug: 'invoicing',
    Name: 'Invoicing',
    Description: 'Writes invoices and sends them.',
    Permissions: ['app.invoices.*', 'app.customers.read'],
  },
] as const;

export const groupGrants = [
  ['engineering', 'report-editor'],
  ['support', 'report-reader'],
  ['operations/manufacturing', 'device-operator'],
  ['finance', 'invoicing'],
  ['sales', 'report-reader'],
] as const;
