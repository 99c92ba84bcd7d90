// The attributes of users and groups (RFC 7643, sections 4 and 8.7.1): the one table that reads
// resources, resolves the paths of filters and PATCH, and is served at /Schemas.

export type Attribute = {
  name: string;
  type: 'string' | 'boolean' | 'dateTime' | 'reference' | 'complex';
  description: string;
  multiValued?: true;
  required?: true;
  caseExact?: true;
  readOnly?: true;
  /** Given with its object, and not changed alone. */
  immutable?: true;
  /** Follows from the value beside it: what a client sends is not read. */
  derived?: true;
  /** An attribute of RFC 7643 or of an extension that requests may name and that is not stored. */
  unstored?: true;
  /** Of an extension: parts that are not in the table are not stored, like its other attributes. */
  open?: true;
  unique?: true;
  /** In characters. Columns with an index hold short texts only. */
  maxLength?: number;
  subAttributes?: readonly Attribute[];
  /** The resources whose addresses a reference holds, or external. */
  referenceTypes?: readonly string[];
  canonicalValues?: readonly string[];
};

export type Schema = {
  id: string;
  name: string;
  description: string;
  attributes: readonly Attribute[];
};

const text = (name: string, description: string, more: Partial<Attribute> = {}): Attribute => ({
  name,
  type: 'string',
  description,
  ...more,
});
const reference = (
  name: string,
  description: string,
  to: string,
  more: Partial<Attribute> = {},
): Attribute => ({ name, type: 'reference', description, referenceTypes: [to], ...more });
const complex = (
  name: string,
  description: string,
  subAttributes: readonly Attribute[],
  more: Partial<Attribute> = {},
): Attribute => ({ name, type: 'complex', description, subAttributes, ...more });

/** A list of values with a type, one of which may be the primary one. */
const list = (
  name: string,
  description: string,
  values: readonly Attribute[] = [text('value', 'The value.')],
  more: Partial<Attribute> = {},
): Attribute =>
  complex(
    name,
    description,
    [
      ...values,
      text('display', 'The value for display.'),
      text('type', 'The kind of value, such as work.'),
      { name: 'primary', type: 'boolean', description: 'Whether this is the preferred value.' },
      reference('$ref', 'The address of the value.', 'uri', { unstored: true }),
    ],
    { ...more, multiValued: true },
  );

/** A list of RFC 7643 that is not stored. */
const unstored = (name: string): Attribute => list(name, '', undefined, { unstored: true });

/** The attributes of every resource (RFC 7643, section 3.1). */
const common: readonly Attribute[] = [
  reference('schemas', 'The schemas of the resource.', 'uri', {
    multiValued: true,
    derived: true,
  }),
  text('id', 'The ID that Bailiwick assigns.', { readOnly: true, caseExact: true }),
  text('externalId', 'The ID in the directory.', { caseExact: true, maxLength: 255 }),
  complex(
    'meta',
    'The metadata of the resource.',
    [
      text('resourceType', 'User or Group.'),
      { name: 'created', type: 'dateTime', description: 'When it was created.' },
      { name: 'lastModified', type: 'dateTime', description: 'When the directory changed it.' },
      reference('location', 'Its address.', 'uri'),
      text('version', 'Its version, as in ETag.'),
    ],
    { readOnly: true },
  ),
];

export const userSchema: Schema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:User',
  name: 'User',
  description: 'A person of the directory.',
  attributes: [
    text('userName', 'The name in the directory.', {
      required: true,
      unique: true,
      maxLength: 255,
    }),
    complex('name', 'The parts of the name.', [
      text('formatted', 'The whole name.'),
      text('familyName', 'The family name.'),
      text('givenName', 'The given name.'),
      text('middleName', 'The middle names.'),
      text('honorificPrefix', 'A title before the name.'),
      text('honorificSuffix', 'A suffix after the name.'),
    ]),
    text('displayName', 'The name for display.'),
    text('nickName', 'The casual name.'),
    reference('profileUrl', 'A page about the person.', 'external'),
    text('title', 'The job title.'),
    text('userType', 'The kind of employment.'),
    text('preferredLanguage', 'The preferred languages, as in Accept-Language.'),
    text('locale', 'The locale, such as en-US.'),
    text('timezone', 'The time zone.'),
    { name: 'active', type: 'boolean', description: 'Whether the person may act in the tenant.' },
    list(
      'emails',
      'Mail addresses. The primary one, else that of type work, identifies the account. A userName that is an address serves too.',
      [text('value', 'The address.', { required: true })],
      { required: true },
    ),
    list('phoneNumbers', 'Telephone numbers.'),
    list('addresses', 'Postal addresses.', [
      text('formatted', 'The whole address.'),
      text('streetAddress', 'Street and number.'),
      text('locality', 'The city.'),
      text('region', 'The state or region.'),
      text('postalCode', 'The postal code.'),
      text('country', 'The country.'),
    ]),
    complex(
      'groups',
      'The groups of the directory that the person is in.',
      [
        text('value', 'The ID of the group.'),
        reference('$ref', 'The address of the group.', 'Group'),
        text('display', 'The name of the group.'),
        text('type', 'Always direct.'),
      ],
      { multiValued: true, readOnly: true },
    ),
    text('password', '', { unstored: true }),
    ...['ims', 'photos', 'entitlements', 'roles', 'x509Certificates'].map(unstored),
  ],
};

export const enterpriseSchema: Schema = {
  id: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  name: 'EnterpriseUser',
  description: 'The place of a person in the company. Kept for filters and readers.',
  attributes: [
    text('employeeNumber', 'The number of the employee.'),
    text('costCenter', 'The cost center.'),
    text('organization', 'The organization.'),
    text('division', 'The division.'),
    text('department', 'The department.'),
    complex(
      'manager',
      'The manager.',
      [
        text('value', 'The ID of the manager.'),
        reference('$ref', 'The address of the manager.', 'User'),
        text('displayName', 'The name of the manager.'),
      ],
      { open: true },
    ),
  ],
};

export const membershipSchema: Schema = {
  id: 'urn:bailiwick:params:scim:schemas:extension:2.0:User',
  name: 'Membership',
  description: 'What Bailiwick has made of the person.',
  attributes: [
    text('status', 'active, disabled, invited, expired, declined or removed.', { readOnly: true }),
    text('userId', 'The ID of the account. Absent while the person is invited.', {
      readOnly: true,
      caseExact: true,
    }),
  ],
};

export const groupSchema: Schema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  name: 'Group',
  description: 'A group of the directory.',
  attributes: [
    text('displayName', 'The name of the group.', {
      required: true,
      unique: true,
      maxLength: 256,
    }),
    complex(
      'members',
      'The people in the group.',
      [
        text('value', 'The ID of the person.', {
          required: true,
          caseExact: true,
          immutable: true,
        }),
        reference('$ref', 'The address of the person.', 'User', { derived: true }),
        text('display', 'The name of the person.', { readOnly: true }),
        text('type', 'Always User.', { derived: true, canonicalValues: ['User'] }),
      ],
      { multiValued: true },
    ),
  ],
};

/** A type of resource: its core schema, and the extensions, which are objects under their URN. */
export type ResourceType = {
  name: 'User' | 'Group';
  endpoint: 'Users' | 'Groups';
  core: Schema;
  extensions: readonly Schema[];
};

export const userType: ResourceType = {
  name: 'User',
  endpoint: 'Users',
  core: userSchema,
  extensions: [enterpriseSchema, membershipSchema],
};

export const groupType: ResourceType = {
  name: 'Group',
  endpoint: 'Groups',
  core: groupSchema,
  extensions: [],
};

/** The attributes of a resource outside of its extensions. */
export const coreAttributes = ({ core }: ResourceType): readonly Attribute[] => [
  ...common,
  ...core.attributes,
];

/** Finds an attribute by its name, in any case (RFC 7643, section 2.1). */
export const findAttribute = (
  attributes: readonly Attribute[],
  name: string,
): Attribute | undefined => {
  const lower = name.toLowerCase();
  return attributes.find((attribute) => attribute.name.toLowerCase() === lower);
};

const foreignName = /^(?:urn:[a-z0-9][a-z0-9-]{0,31}:|https?:\/\/)[^\s[\]"()]*[^\s[\]"().:]$/i;

/** Whether a name belongs to an extension that resources of a type do not have. */
export const isForeignName = ({ extensions }: ResourceType, name: string): boolean => {
  const lower = `${name.toLowerCase()}:`;
  const isOwn = [userSchema, groupSchema, ...extensions].some(({ id }) =>
    lower.startsWith(`${id.toLowerCase()}:`),
  );
  return !isOwn && foreignName.test(name);
};
