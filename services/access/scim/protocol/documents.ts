import {
  type Attribute,
  groupSchema,
  groupType,
  type ResourceType,
  type Schema,
  userSchema,
  userType,
} from './schemas.ts';

// The documents about the service itself (RFC 7643, sections 5 to 7).

/** The most resources on a page. */
export const maxCount = 200;

export const serviceProviderConfig = (baseUrl: string) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: maxCount },
  changePassword: { supported: false },
  sort: { supported: true },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bot key',
      description: 'The key of a bot with iam.scim.write in the tenant, as a bearer token.',
      specUri: 'https://www.rfc-editor.org/rfc/rfc6750',
      primary: true,
    },
  ],
  meta: {
    resourceType: 'ServiceProviderConfig',
    location: `${baseUrl}/ServiceProviderConfig`,
  },
});

export const resourceTypes = (baseUrl: string) =>
  [userType, groupType].map(({ name, endpoint, core, extensions }: ResourceType) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    id: name,
    name,
    endpoint: `/${endpoint}`,
    description: core.description,
    schema: core.id,
    schemaExtensions: extensions.map(({ id }) => ({ schema: id, required: false })),
    meta: { resourceType: 'ResourceType', location: `${baseUrl}/ResourceTypes/${name}` },
  }));

export const schemaDocuments = (baseUrl: string) =>
  [
    // Without the attributes of every resource (RFC 7643, section 3.1).
    userSchema,
    groupSchema,
    ...userType.extensions,
  ].map(({ id, name, description, attributes }: Schema) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
    id,
    name,
    description,
    attributes: attributes.filter(isStored).map((one) => describeAttribute(one)),
    meta: { resourceType: 'Schema', location: `${baseUrl}/Schemas/${id}` },
  }));

const isStored = ({ unstored }: Attribute): boolean => unstored !== true;

const describeAttribute = (
  attribute: Attribute,
  isReadOnly = attribute.readOnly === true,
): object => ({
  name: attribute.name,
  type: attribute.type,
  multiValued: attribute.multiValued === true,
  description: attribute.description,
  required: attribute.required === true,
  mutability: isReadOnly ? 'readOnly' : writableMutability(attribute),
  returned: 'default',
  ...(attribute.type === 'complex'
    ? {
        subAttributes: (attribute.subAttributes ?? [])
          .filter(isStored)
          .map((one) => describeAttribute(one, isReadOnly || one.readOnly === true)),
      }
    : {
        caseExact: attribute.caseExact === true,
        uniqueness: attribute.unique ? 'server' : 'none',
      }),
  ...(attribute.referenceTypes && { referenceTypes: attribute.referenceTypes }),
  ...(attribute.canonicalValues && { canonicalValues: attribute.canonicalValues }),
});

/** The parts of a member are immutable, as in RFC 7643, section 8.7.1. */
const writableMutability = ({ immutable, derived }: Attribute): string =>
  immutable || derived ? 'immutable' : 'readWrite';
