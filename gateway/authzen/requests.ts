import { isId } from '@bailiwick/contract';
import { invalid } from '@bailiwick/errors';

// Reads requests of the OpenID AuthZEN Authorization API 1.0 as questions to the Access operations.
// The sections are those of https://openid.net/specs/authorization-api-1_0.html. docs/authzen.md
// describes the mapping.

/** An object of a request. */
export type Json = Readonly<Record<string, unknown>>;

/** A question to one of the Access operations. */
export type Question = {
  /** The question's place in the request, as the start of a message: `evaluations[2].` or "". */
  at: string;
  tenant: string;
  /** Empty in a search for subjects. */
  subject: string;
  /** Empty in a search for actions. */
  permission: string;
  /** Empty means the whole tenant. */
  resource: string;
  explain: boolean;
};

/** The decision after which an evaluation of several questions ends (§7.1.2.1). */
const endings = {
  execute_all: undefined,
  deny_on_first_deny: false,
  permit_on_first_permit: true,
} as const;

type Evaluations = { questions: Question[]; endsAt: boolean | undefined };

const maxEvaluations = 50;
/** Of a page of a search. A request may ask for more. */
const mostResults = 200;

/** Reads an evaluation (§6.1). @throws invalid_argument with all problems of its shape */
export const readEvaluation = (json: Json): Question =>
  orInvalid((problems) => readQuestion(json, { at: '', problems }));

/** Reads a search for actions (§8.6.1). @throws invalid_argument with all problems of its shape */
export const readActionSearch = (json: Json): Question =>
  orInvalid((problems) => {
    const page = json['page'];
    // The response of a search is never split into pages, so no token is valid.
    if (isObject(page) && page['token'] !== undefined && page['token'] !== '')
      problems.push('page.token is not valid');
    return readQuestion(json, { at: '', problems }, 'action');
  });

type SubjectSearch = {
  question: Question;
  type: string;
  page: { limit: number; token: string };
};

/**
 * Reads a search for subjects (§8.4.1). The id of the subject is ignored.
 * @throws invalid_argument with all problems of its shape
 */
export const readSubjectSearch = (json: Json): SubjectSearch =>
  orInvalid((problems) => {
    const place = { at: '', problems };
    const { page = {} } = json;
    if (!isObject(page)) problems.push('page must be an object');
    const { limit = 0, token = '' } = isObject(page) ? page : {};
    const isLimit = typeof limit === 'number' && Number.isInteger(limit) && limit >= 0;
    if (!isLimit) problems.push('page.limit must be a whole number, at least 0');
    if (typeof token !== 'string') problems.push('page.token must be a string');
    return {
      question: readQuestion(json, place, 'subject'),
      type: readSubjectType(json, place),
      page: {
        limit: isLimit ? Math.min(limit, mostResults) : 0,
        token: typeof token === 'string' ? token : '',
      },
    };
  });

/**
 * Reads several evaluations (§7.1). Undefined if the request contains none and is a single
 * evaluation. @throws invalid_argument with all problems of their shape
 */
export function readEvaluations(json: Json): Evaluations | undefined {
  const { evaluations = [], options } = json;
  if (!Array.isArray(evaluations)) throw invalid('evaluations must be an array');
  if (evaluations.length === 0) return undefined;
  if (evaluations.length > maxEvaluations)
    throw invalid(`evaluations must have at most ${maxEvaluations} entries`);
  return orInvalid((problems) => ({
    endsAt: readSemantic(options, problems),
    questions: evaluations.map((entry: unknown, index) => {
      const at = `evaluations[${index}]`;
      if (!isObject(entry)) problems.push(`${at} must be an object`);
      // A top-level value is the default of each entry that lacks it (§7.1.1).
      const evaluation = isObject(entry) ? { ...json, ...entry } : json;
      return readQuestion(evaluation, { at: `${at}.`, problems });
    }),
  }));
}

function orInvalid<Value>(read: (problems: string[]) => Value): Value {
  const problems: string[] = [];
  const result = read(problems);
  if (problems.length > 0) throw invalid(problems);
  return result;
}

function readSemantic(options: unknown, problems: string[]): boolean | undefined {
  if (options === undefined) return undefined;
  if (!isObject(options)) problems.push('options must be an object');
  const { evaluations_semantic: name = 'execute_all' } = isObject(options) ? options : {};
  if (typeof name === 'string' && Object.hasOwn(endings, name))
    return endings[name as keyof typeof endings];
  problems.push(`options.evaluations_semantic must be one of ${Object.keys(endings).join(', ')}`);
}

type Place = { at: string; problems: string[] };

/** `optional`: the part of the question that a search leaves open. */
function readQuestion(json: Json, place: Place, optional?: 'action' | 'subject'): Question {
  const { context = {} } = json;
  if (!isObject(context)) place.problems.push(`${place.at}context must be an object`);
  return {
    at: place.at,
    subject: optional === 'subject' ? '' : readSubject(json, place),
    permission: optional === 'action' ? '' : readText(json, ['action', 'name'], place),
    ...readResource(json, place),
    explain: isObject(context) && context['explain'] === true,
  };
}

const subjectPrefixes = new Map([
  ['user', 'usr'],
  ['bot', 'bot'],
] as const);

function readSubjectType(json: Json, place: Place): string {
  const type = readText(json, ['subject', 'type'], place);
  if (type !== '' && !subjectPrefixes.has(type as 'user' | 'bot'))
    place.problems.push(`${place.at}subject.type must be user or bot`);
  return type;
}

function readSubject(json: Json, place: Place): string {
  const type = readSubjectType(json, place);
  const id = readText(json, ['subject', 'id'], place);
  const prefix = subjectPrefixes.get(type as 'user' | 'bot');
  const { at, problems } = place;
  if (id !== '' && prefix !== undefined && !isId(prefix, id))
    problems.push(`${at}subject.id must be an identifier of a ${type}`);
  return id;
}

/** The tenant, and the application's own name of the resource in it. */
function readResource(json: Json, place: Place): { tenant: string; resource: string } {
  const { at, problems } = place;
  const type = readText(json, ['resource', 'type'], place);
  const id = readText(json, ['resource', 'id'], place);
  if (type === 'tenant') {
    if (id !== '' && !isId('tnt', id))
      problems.push(`${at}resource.id must be an identifier of a tenant`);
    return { tenant: id, resource: '' };
  }
  // A colon would let two pairs of type and id make the same name.
  if (type !== '' && !/^[\w.-]{1,64}$/.test(type))
    problems.push(`${at}resource.type must be at most 64 letters, digits, ".", "_" and "-"`);
  return {
    tenant: readTenant(json, place),
    resource: type === 'resource' ? id : `${type}:${id}`,
  };
}

function readTenant({ resource, context }: Json, { at, problems }: Place): string {
  const properties = isObject(resource) ? resource['properties'] : undefined;
  const own = isObject(properties) ? properties['tenant'] : undefined;
  const tenant = own ?? (isObject(context) ? context['tenant'] : undefined);
  if (typeof tenant === 'string' && isId('tnt', tenant)) return tenant;
  const problem = tenant === undefined ? 'is required' : 'must be an identifier of a tenant';
  problems.push(`${at}resource.properties.tenant or context.tenant ${problem}`);
  return '';
}

function readText(json: Json, [entity, key]: [string, string], { at, problems }: Place): string {
  const holder = json[entity];
  const member = isObject(holder) ? holder[key] : undefined;
  if (typeof member === 'string' && member !== '') return member;
  const problem = member === undefined || member === '' ? 'is required' : 'must be a string';
  problems.push(`${at}${entity}.${key} ${problem}`);
  return '';
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
