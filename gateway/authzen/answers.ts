import type { JsonObject } from '@bailiwick/contract';
import { toServiceError } from '@bailiwick/errors';
import {
  type Json,
  type Question,
  readActionSearch,
  readEvaluation,
  readEvaluations,
  readSubjectSearch,
} from './requests.ts';

// Answers requests of the OpenID AuthZEN Authorization API 1.0 with the Access operations. The
// sections are those of https://openid.net/specs/authorization-api-1_0.html.

/** Calls an operation in the caller's name, with a request that contains these questions. */
export type Ask = (
  operation: string,
  request: Json,
  questions: readonly Question[],
) => Promise<JsonObject>;

/** §5.5 */
type Decision = { decision: boolean; context?: object };

const denial: Decision = { decision: false };

/** Answers one evaluation (§6). */
export async function evaluateOne(json: Json, ask: Ask): Promise<Decision> {
  const [decision = denial] = await decide([readEvaluation(json)], ask);
  return decision;
}

/** Answers several evaluations, in their order (§7). */
export async function evaluateAll(json: Json, ask: Ask): Promise<object> {
  const several = readEvaluations(json);
  if (!several) return evaluateOne(json, ask);
  const { questions, endsAt } = several;
  const decided = new Map<Question, Decision>();
  const evaluations: Decision[] = [];
  for (const question of questions) {
    if (!decided.has(question)) {
      const alike = questionsLike(question, questions);
      const decisions = await decide(alike, ask).catch((thrown: unknown) =>
        denyRefused(thrown, alike),
      );
      for (const [index, one] of alike.entries()) decided.set(one, decisions[index] ?? denial);
    }
    const decision = decided.get(question) ?? denial;
    evaluations.push(decision);
    if (decision.decision === endsAt) break;
  }
  return { evaluations };
}

/** Lists the actions that a subject may do (§8.6): its permissions, as granted. */
export async function searchActions(json: Json, ask: Ask): Promise<object> {
  const question = readActionSearch(json);
  const { tenant, subject, resource } = question;
  const request = { Tenant: tenant, Subject: subject, Resource: resource };
  const { Permissions } = await ask('Access_ListPermissions', request, [question]);
  return { results: (Permissions as string[]).map((name) => ({ name })) };
}

/** Lists a page of the subjects that may do an action (§8.4). */
export async function searchSubjects(json: Json, ask: Ask): Promise<object> {
  const { question, type, page } = readSubjectSearch(json);
  const { tenant, permission, resource } = question;
  const request = {
    Tenant: tenant,
    Permission: permission,
    Resource: resource,
    Type: type,
    Page: { Limit: page.limit, Cursor: page.token },
  };
  const { Page } = await ask('Access_ListSubjects', request, [question]);
  const { Items, NextCursor } = Page as { Items: JsonObject[]; NextCursor: string };
  return {
    page: { next_token: NextCursor, count: Items.length },
    results: Items.map(({ ID, Type }) => ({ type: Type, id: ID })),
  };
}

/** The questions that one Access_Check answers: all about the same subject in the same tenant. */
function questionsLike(question: Question, questions: readonly Question[]): Question[] {
  const { tenant, subject, explain } = question;
  if (explain) return [question];
  return questions.filter(
    (one) => !one.explain && one.tenant === tenant && one.subject === subject,
  );
}

/** Decides questions that are alike, with one call. */
async function decide(questions: readonly Question[], ask: Ask): Promise<Decision[]> {
  const [first] = questions;
  if (!first) return [];
  const principal = { Tenant: first.tenant, Subject: first.subject };
  const checks = questions.map(({ permission, resource }) => ({
    Permission: permission,
    Resource: resource,
  }));
  if (first.explain) {
    const { Allowed, ...context } = await ask(
      'Access_Explain',
      { ...principal, ...checks[0] },
      questions,
    );
    return [{ decision: Allowed === true, context }];
  }
  const { Results } = await ask('Access_Check', { ...principal, Checks: checks }, questions);
  return (Results as JsonObject[]).map(({ Allowed }) => ({ decision: Allowed === true }));
}

/**
 * Denies questions that the caller may not ask: in an evaluation of several, the others are still
 * answered (§7.2.1).
 */
function denyRefused(thrown: unknown, questions: readonly Question[]): Decision[] {
  const { code, message } = toServiceError(thrown);
  if (code !== 'permission_denied') throw thrown;
  return questions.map(() => ({ decision: false, context: { error: { status: 403, message } } }));
}
