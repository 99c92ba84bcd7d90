// Who may give and take what, as simple as possible: the permissions of each role are written out,
// and nothing here comes from the tested code.

/** The roles whose holders are compared, with their permissions. */
export const roles = {
  member: ['iam.tenant.read', 'iam.users.read', 'iam.groups.read', 'iam.roles.read'],
  helper: ['iam.groups.write'],
  payer: ['app.money.move'],
  chief: ['iam.*'],
  owner: ['iam.*'],
} as const;

export type Role = keyof typeof roles;
export const roleNames = Object.keys(roles) as Role[];

/** The permissions of a built-in administrator that these roles have in part. */
const ofAdmins = [
  'iam.tenant.read',
  'iam.users.read',
  'iam.groups.read',
  'iam.groups.write',
  'iam.roles.read',
];

/** The permissions that each giver may give. An owner may also give all permissions of applications. */
const givers = {
  owner: { owns: true, gives: (permission: string) => /^(iam|app)\./.test(permission) },
  chief: { owns: false, gives: (permission: string) => permission.startsWith('iam.') },
  admin: { owns: false, gives: (permission: string) => ofAdmins.includes(permission) },
};

export type Giver = keyof typeof givers;
export const giverNames = Object.keys(givers) as Giver[];

/** Whether a giver may give a role. Only owners make owners. */
export const mayGive = (giver: Giver, role: Role): boolean =>
  role === 'owner' ? givers[giver].owns : roles[role].every(givers[giver].gives);

/** Whether the directory that a giver has connected may give a role. None makes owners. */
export const mayHandOut = (maker: Giver, role: Role): boolean =>
  role !== 'owner' && mayGive(maker, role);

/** A directory takes everything, but not from owners. */
export const mayEndBySource = (role: Role): boolean => role !== 'owner';
