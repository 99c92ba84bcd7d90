import { notFound, ServiceError } from '@bailiwick/errors';
import type { Handlers } from '@bailiwick/pipeline';
import type { Scim, ScimHandleRequest } from '@bailiwick/proto/gen/bailiwick/access/v1/scim_pb.ts';
import { onPool } from '@bailiwick/store';
import type { ScimDeps, ScimRequest } from './deps.ts';
import { changeScimGroup, createScimGroup, deleteScimGroup, replacing } from './groups.ts';
import {
  findResources,
  type ListQuery,
  type ResourcePage,
  type Rows,
  readListQuery,
  type Source,
} from './listing.ts';
import { announceRefusal, findSource, unknownSource } from './maker.ts';
import { listNotices } from './notices/notes.ts';
import { resourceTypes, schemaDocuments, serviceProviderConfig } from './protocol/documents.ts';
import { applyPatch } from './protocol/patch.ts';
import { invalidSyntax, invalidValue } from './protocol/problems.ts';
import { applyProjection, type Projection, readProjection } from './protocol/projection.ts';
import { isObject, type Resource, textOf } from './protocol/resource.ts';
import { groupType, type ResourceType, userType } from './protocol/schemas.ts';
import { groupSource, peopleSource } from './sources.ts';
import { changePerson, createPerson, deletePerson } from './users.ts';

// Answers the requests of the protocol. The gateway has checked the bounds of the body.

type Answer = { status: number; body?: object; etag?: string; location?: string };

export const scimHandlers = (deps: ScimDeps): Handlers<typeof Scim> => ({
  async handle(request, call) {
    const { tenant, baseUrl, path } = request;
    // Reads hand out nothing.
    const source =
      request.method === 'GET' ? unknownSource(tenant) : await findSource(deps, tenant, call);
    const directed = { tenant, baseUrl, call, source };
    const {
      status,
      body,
      etag = '',
      location = '',
    } = await answer(deps, directed, request).catch((error: unknown) =>
      announceRefusal(deps, directed, path, error),
    );
    return { status, body: body ? JSON.stringify(body) : '', etag, location };
  },

  listNotices: listNotices(deps.database, deps.pager),
});

function answer(deps: ScimDeps, request: ScimRequest, message: ScimHandleRequest): Promise<Answer> {
  const [endpoint = '', id = '', ...more] = message.path.split('/');
  if (message.path === '') return Promise.resolve(answerRoot(message));
  if (more.length > 0 || !/^[\w.:-]*$/.test(id)) throw notFound('resource');
  if (endpoint === 'Users') return answerResource(users(deps, request), id, message);
  if (endpoint === 'Groups') return answerResource(groups(deps, request), id, message);
  // Features of the protocol that answer 501 (RFC 7644, sections 3.11 and 3.12).
  if (id === '' && ['.search', 'Bulk', 'Me'].includes(endpoint)) throw unsupported(`/${endpoint}`);
  return Promise.resolve(answerDocument(endpoint, id, message));
}

function answerDocument(
  endpoint: string,
  id: string,
  { method, baseUrl }: ScimHandleRequest,
): Answer {
  const lists: Record<string, () => Array<{ id: string }>> = {
    ResourceTypes: () => resourceTypes(baseUrl),
    Schemas: () => schemaDocuments(baseUrl),
  };
  const isConfig = endpoint === 'ServiceProviderConfig' && id === '';
  const list = Object.hasOwn(lists, endpoint) ? lists[endpoint] : undefined;
  if (!isConfig && !list) throw notFound(`/${endpoint.slice(0, 100)}`);
  if (method !== 'GET') throw unsupported(method);
  if (!list) return { status: 200, body: serviceProviderConfig(baseUrl) };
  const documents = list();
  if (id === '') return { status: 200, body: listOf(documents, documents.length, 0) };
  const document = documents.find((one) => one.id === id);
  if (!document) throw notFound(endpoint);
  return { status: 200, body: document };
}

/** The types of resources. A query of all resources is a feature that answers 501. */
function answerRoot({ method, query, baseUrl }: ScimHandleRequest): Answer {
  if (method !== 'GET') throw unsupported(method);
  if (new URLSearchParams(query).has('filter')) throw unsupported('a filter of all resources');
  const types = resourceTypes(baseUrl);
  return { status: 200, body: listOf(types, types.length, 0) };
}

const unsupported = (what: string) =>
  new ServiceError('unimplemented', 'SCIM_UNSUPPORTED', `${what} is not supported`);

/** The requests that the resources of one type answer. */
type Resources = {
  type: ResourceType;
  list: (query: ListQuery, projection: Projection, filterText: string) => Promise<ResourcePage>;
  get: (id: string, projection: Projection) => Promise<Resource>;
  create: (body: unknown) => Promise<string>;
  replace: (id: string, ifMatch: string, body: unknown) => Promise<void>;
  patch: (id: string, ifMatch: string, body: unknown) => Promise<void>;
  remove: (id: string, ifMatch: string) => Promise<void>;
  /** The status of a successful PATCH: a group may have many members to send back. */
  patchStatus: 200 | 204;
};

const rowsOf = ({ database }: ScimDeps, { tenant, baseUrl, call }: ScimRequest): Rows => ({
  run: onPool(database),
  tenant,
  baseUrl,
  signal: call.signal,
});

function users(deps: ScimDeps, request: ScimRequest): Resources {
  const source = () => peopleSource(rowsOf(deps, request));
  return {
    type: userType,
    list: (query) => findResources(source(), query),
    get: (id) => one(source(), id),
    create: (body) => createPerson(deps, request, body),
    replace: (id, ifMatch, body) => changePerson(deps, request, { id, ifMatch, next: () => body }),
    patch: (id, ifMatch, body) =>
      changePerson(deps, request, {
        id,
        ifMatch,
        next: (now, intake) => applyPatch(userType, now, body, intake),
      }),
    remove: (id, ifMatch) => deletePerson(deps, request, id, ifMatch),
    patchStatus: 200,
  };
}

function groups(deps: ScimDeps, request: ScimRequest): Resources {
  const rows = rowsOf(deps, request);
  return {
    type: groupType,
    list: (query, projection, filterText) =>
      findResources(groupSource(rows, projection, filterText), query),
    get: (id, projection) => one(groupSource(rows, projection), id),
    create: (body) => createScimGroup(deps, request, body),
    replace: (id, ifMatch, body) =>
      changeScimGroup(deps, request, { id, ifMatch, next: replacing(body) }),
    patch: (id, ifMatch, body) =>
      changeScimGroup(deps, request, {
        id,
        ifMatch,
        next: (now, intake) => applyPatch(groupType, now, body, intake),
      }),
    remove: (id, ifMatch) => deleteScimGroup(deps, request, id, ifMatch),
    patchStatus: 204,
  };
}

async function one<Row>({ type, byId, render }: Source<Row>, id: string): Promise<Resource> {
  const [resource] = await render(await byId(id));
  if (!resource) throw notFound(type.name);
  return resource;
}

async function answerResource(
  resources: Resources,
  id: string,
  { method, query, body, ifMatch }: ScimHandleRequest,
): Promise<Answer> {
  const { type, patchStatus } = resources;
  const parameters = new URLSearchParams(query);
  if (new Set(parameters.keys()).size !== parameters.size)
    throw invalidValue('duplicate parameter');
  const projection = readProjection((name) => parameters.get(name) ?? undefined);
  const show = async (status: number, resourceId: string): Promise<Answer> => {
    const resource = await resources.get(resourceId, projection);
    const { location, version } = resource['meta'] as { location: string; version: string };
    return { status, body: applyProjection(type, resource, projection), etag: version, location };
  };
  if (id === '.search' && method === 'POST') return search(resources, parseBody(body));
  if (id === '') {
    if (method === 'GET')
      return list(resources, projection, (name) => parameters.get(name) ?? undefined);
    if (method === 'POST') return show(201, await resources.create(parseBody(body)));
    throw unsupported(method);
  }
  switch (method) {
    case 'GET':
      return show(200, id);
    case 'PUT':
      await resources.replace(id, ifMatch, parseBody(body));
      return show(200, id);
    case 'PATCH':
      await resources.patch(id, ifMatch, parseBody(body));
      return patchStatus === 204 ? { status: 204 } : show(200, id);
    case 'DELETE':
      await resources.remove(id, ifMatch);
      return { status: 204 };
    default:
      throw unsupported(method);
  }
}

/** A list whose parameters are in a body (RFC 7644, section 3.4.3). */
function search(resources: Resources, body: unknown): Promise<Answer> {
  if (!isObject(body)) throw invalidSyntax('the body must be a JSON object');
  const read = (name: string) =>
    Object.entries(body).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
  return list(resources, readProjection(read), read);
}

async function list(
  { type, list: find }: Resources,
  projection: Projection,
  read: (name: string) => unknown,
): Promise<Answer> {
  const query = readListQuery(type, read);
  const { total, resources } = await find(query, projection, textOf(read('filter')));
  const page = resources.map((resource) => applyProjection(type, resource, projection));
  return { status: 200, body: listOf(page, total, query.offset) };
}

const listOf = (resources: readonly object[], total: number, offset: number) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
  totalResults: total,
  startIndex: offset + 1,
  itemsPerPage: resources.length,
  Resources: resources,
});

function parseBody(body: string): unknown {
  if (body === '') throw invalidSyntax('the request must have a body');
  return JSON.parse(body);
}
