import {
  type Alias,
  type InsertStmt,
  type JoinExpr,
  loadModule,
  type Node,
  type OnConflictClause,
  parseSync,
  type RangeVar,
  type SelectStmt,
  type WithClause,
} from 'libpg-query';
import { isEquals, itemsOf, namesOf, partsOf, textOf } from './statement-nodes.ts';

// Reads from the tree of PostgreSQL's own parser which columns of a statement's tables equal which
// values. A condition says so of the tables of its own FROM clause only, and the condition of an
// outer join only of the side that may be missing.

await loadModule();

/** A column of one use of a table: `<number of the use>.<column>`. */
export type Term = string;

/** The columns that decide a value, beside parameters and constants; undefined = unknown. */
type Origins = readonly Term[] | undefined;

/** A table, or the rows of a query or function, in a FROM clause. */
type Source = {
  alias: string;
  use: string;
  has(column: string): boolean;
  of(column: string): Origins;
};

/** The columns that a query returns, by name and by place. */
type Output = { named(name: string): Origins; at(place: number): Origins };
const unknown: Output = { named: () => undefined, at: () => undefined };

/** The sources and queries that an expression may name. */
type Scope = { own: Source[]; outer?: Scope; queries: Map<string, Output>; analysis: Analysis };

type Analysis = {
  hasTenants(table: string): boolean;
  uses: Array<{ table: string; alias: string; use: string }>;
  /** A column that equals a value with these origins, in every row that the statement sees. */
  equalities: Array<{ term: Term; origins: readonly Term[] }>;
  outputs: Map<Node, Output>;
};

/** Reads a statement. A table without tenants has no column of that name. */
export function readStatement(text: string, hasTenants: Analysis['hasTenants']): Analysis {
  const analysis: Analysis = { hasTenants, uses: [], equalities: [], outputs: new Map() };
  for (const { stmt } of parseSync(text).stmts ?? [])
    if (stmt) outputOf(stmt, { own: [], queries: new Map(), analysis });
  return analysis;
}

function outputOf(query: Node, outer: Scope): Output {
  const cached = outer.analysis.outputs.get(query);
  if (cached) return cached;
  const output = read(query, outer);
  outer.analysis.outputs.set(query, output);
  return output;
}

function read(query: Node, outer: Scope): Output {
  if ('SelectStmt' in query) return select(query.SelectStmt, outer);
  if ('InsertStmt' in query) return insert(query.InsertStmt, outer);
  if ('UpdateStmt' in query) {
    const { fromClause = [], targetList = [], ...statement } = query.UpdateStmt;
    return change({ ...statement, from: fromClause, set: targetList }, outer);
  }
  if ('DeleteStmt' in query)
    return change(
      { ...query.DeleteStmt, from: query.DeleteStmt.usingClause ?? [], set: [] },
      outer,
    );
  throw new Error(`no rule for a ${Object.keys(query).join()}`);
}

function select(statement: SelectStmt, outer: Scope): Output {
  const { larg, rarg, valuesLists, fromClause = [], targetList = [], withClause } = statement;
  const scope = scopeIn(outer, withClause);
  if (larg && rarg) return union(select(larg, scope), select(rarg, scope));
  const { whereClause, groupClause, havingClause, sortClause, limitCount } = statement;
  for (const node of fromClause) addSources(node, scope);
  demand(whereClause, scope, scope.own);
  readNested([targetList, groupClause, havingClause, sortClause, limitCount, valuesLists], scope);
  if (!valuesLists) return columns(targetList, scope);
  const at = (place: number) => all(valuesLists, (row) => originsOf(itemsOf(row)[place], scope));
  return { named: () => undefined, at };
}

const union = (left: Output, right: Output): Output => ({
  named: (name) => all([left, right], (one) => one.named(name)),
  at: (place) => all([left, right], (one) => one.at(place)),
});

type Change = {
  relation?: RangeVar;
  from: Node[];
  set: Node[];
  whereClause?: Node;
  returningClause?: { exprs?: Node[] };
  withClause?: WithClause;
};

function change({ relation = {}, from, set, ...statement }: Change, outer: Scope): Output {
  const scope = scopeIn(outer, statement.withClause);
  scope.own.push(tableSource(relation, scope));
  for (const node of from) addSources(node, scope);
  demand(statement.whereClause, scope, scope.own);
  const returned = statement.returningClause?.exprs ?? [];
  readNested([set, returned], scope);
  return columns(returned, scope);
}

function insert(statement: InsertStmt, outer: Scope): Output {
  const { relation = {}, cols, selectStmt, onConflictClause, returningClause } = statement;
  const scope = scopeIn(outer, statement.withClause);
  const insertedRows = selectStmt ? outputOf(selectStmt, scope) : unknown;
  const place = cols?.findIndex(
    (column) => 'ResTarget' in column && column.ResTarget.name === 'tenant',
  );
  const tenant =
    (place === undefined ? undefined : insertedRows.at(place)) ?? insertedRows.named('tenant');
  const inserted = tableSource(relation, scope);
  equate(`${inserted.use}.tenant`, tenant, scope);
  if (onConflictClause?.action === 'ONCONFLICT_UPDATE')
    update(onConflictClause, { relation, tenant, scope });
  scope.own.push(inserted);
  const returned = returningClause?.exprs ?? [];
  readNested(returned, scope);
  return columns(returned, scope);
}

/** The row that an insert conflicts with is of the same tenant if the tenant is part of the key. */
function update(
  { infer, whereClause, targetList }: OnConflictClause,
  { relation, tenant, scope }: { relation: RangeVar; tenant: Origins; scope: Scope },
): void {
  const conflicting = tableSource(relation, scope);
  const excluded: Source = {
    alias: 'excluded',
    use: '',
    has: () => false,
    of: (column) => (column === 'tenant' ? tenant : undefined),
  };
  const inner = { ...scope, own: [conflicting, excluded], outer: scope };
  if (infer?.indexElems?.some((one) => 'IndexElem' in one && one.IndexElem.name === 'tenant'))
    equate(`${conflicting.use}.tenant`, tenant, scope);
  demand(whereClause, inner, inner.own);
  readNested(targetList, inner);
}

function scopeIn(outer: Scope, clause: WithClause | undefined): Scope {
  const scope = { ...outer, own: [], outer, queries: new Map(outer.queries) };
  for (const node of clause?.ctes ?? []) {
    const { ctename = '', ctequery } = 'CommonTableExpr' in node ? node.CommonTableExpr : {};
    // The query itself sees this in "with recursive".
    if (clause?.recursive) scope.queries.set(ctename, unknown);
    if (ctequery) scope.queries.set(ctename, outputOf(ctequery, scope));
  }
  return scope;
}

/** Adds what a FROM item names to the scope, and returns it. */
function addSources(node: Node, scope: Scope): Source[] {
  if ('JoinExpr' in node) return join(node.JoinExpr, scope);
  const source = sourceOf(node, scope);
  scope.own.push(source);
  return [source];
}

function sourceOf(node: Node, scope: Scope): Source {
  if ('RangeVar' in node) {
    const { relname = '', alias } = node.RangeVar;
    const output = scope.queries.get(relname);
    return output
      ? querySource(output, { aliasname: relname, ...alias })
      : tableSource(node.RangeVar, scope);
  }
  if ('RangeSubselect' in node && node.RangeSubselect.subquery)
    return querySource(outputOf(node.RangeSubselect.subquery, scope), node.RangeSubselect.alias);
  if (!('RangeFunction' in node)) throw new Error(`no rule for a ${Object.keys(node).join()}`);
  const { functions = [], alias, coldeflist = [] } = node.RangeFunction;
  readNested(functions, scope);
  const names = [
    ...namesOf(alias),
    ...coldeflist.map((one) => ('ColumnDef' in one ? one.ColumnDef.colname : '')),
  ];
  const calls = functions.flatMap((one) => itemsOf(one).slice(0, 1));
  return {
    alias: alias?.aliasname ?? '',
    use: '',
    has: (column) => names.length === 0 || names.includes(column),
    of: () => all(calls, (call) => originsOf(call, scope)),
  };
}

function tableSource({ relname = '', alias }: RangeVar, { analysis }: Scope): Source {
  const { aliasname = relname } = alias ?? {};
  const use = String(analysis.uses.length);
  analysis.uses.push({ table: relname, alias: aliasname, use });
  return {
    alias: aliasname,
    use,
    has: (column) => column !== 'tenant' || analysis.hasTenants(relname),
    of: (column) => [`${use}.${column}`],
  };
}

function querySource(output: Output, alias: Alias = {}): Source {
  const names = namesOf(alias);
  const of = (column: string) =>
    names.includes(column) ? output.at(names.indexOf(column)) : output.named(column);
  return { alias: alias.aliasname ?? '', use: '', has: (column) => of(column) !== undefined, of };
}

function join(node: JoinExpr, scope: Scope): Source[] {
  const left = node.larg ? addSources(node.larg, scope) : [];
  const right = node.rarg ? addSources(node.rarg, scope) : [];
  const { jointype } = node;
  const limited = [
    ...(jointype === 'JOIN_INNER' || jointype === 'JOIN_RIGHT' ? left : []),
    ...(jointype === 'JOIN_INNER' || jointype === 'JOIN_LEFT' ? right : []),
  ];
  for (const name of node.usingClause ?? []) {
    const fields = [name];
    const column = { ColumnRef: { fields } };
    limit(column, resolve(fields, { ...scope, own: right }), { ...scope, own: left }, limited);
    limit(column, resolve(fields, { ...scope, own: left }), { ...scope, own: right }, limited);
  }
  demand(node.quals, scope, limited);
  return [...left, ...right];
}

/** Takes the equalities from a condition on rows of these sources. */
function demand(condition: Node | undefined, scope: Scope, limited: readonly Source[]): void {
  if (!condition) return;
  readNested(condition, scope);
  if ('BoolExpr' in condition && condition.BoolExpr.boolop === 'AND_EXPR')
    for (const one of condition.BoolExpr.args ?? []) demand(one, scope, limited);
  if ('SubLink' in condition && condition.SubLink.subLinkType === 'ANY_SUBLINK') {
    const { testexpr, subselect, operName = [] } = condition.SubLink;
    if (!testexpr || !subselect || !operName.every(isEquals)) return;
    const output = outputOf(subselect, scope);
    for (const [place, part] of partsOf(testexpr).entries())
      limit(part, output.at(place), scope, limited);
  }
  if (!('A_Expr' in condition)) return;
  const { kind, name = [], lexpr, rexpr } = condition.A_Expr;
  if (!lexpr || !rexpr || !name.every(isEquals)) return;
  if (kind !== 'AEXPR_OP' && kind !== 'AEXPR_OP_ANY' && kind !== 'AEXPR_IN') return;
  const values = kind === 'AEXPR_IN' ? itemsOf(rexpr) : [rexpr];
  for (const [place, part] of partsOf(lexpr).entries())
    limit(
      part,
      all(values, (value) => originsOf(partsOf(value)[place], scope)),
      scope,
      limited,
    );
  if (kind === 'AEXPR_OP')
    for (const [place, part] of partsOf(rexpr).entries())
      limit(part, originsOf(partsOf(lexpr)[place], scope), scope, limited);
}

/** A column of one of the sources equals a value with these origins. */
function limit(column: Node, origins: Origins, scope: Scope, limited: readonly Source[]): void {
  const [term, ...others] = ('ColumnRef' in column && originsOf(column, scope)) || [];
  if (term === undefined || others.length > 0) return;
  if (limited.some(({ use }) => term.startsWith(`${use}.`))) equate(term, origins, scope);
}

function equate(term: Term, origins: Origins, { analysis }: Scope): void {
  if (origins) analysis.equalities.push({ term, origins });
}

/** Functions whose results are among their arguments. */
const selecting =
  /^(min|max|unnest|string_to_array|jsonb_(array_elements_text|(to|populate)_recordset))$/;

function originsOf(node: Node | undefined, scope: Scope): Origins {
  if (!node) return undefined;
  if ('ParamRef' in node || 'A_Const' in node) return [];
  if ('TypeCast' in node) return originsOf(node.TypeCast.arg, scope);
  if ('ColumnRef' in node) return resolve(node.ColumnRef.fields ?? [], scope);
  const among = (values: ReadonlyArray<Node | undefined> = []) =>
    all(values, (one) => originsOf(one, scope));
  if ('CoalesceExpr' in node) return among(node.CoalesceExpr.args);
  if ('CaseExpr' in node) {
    const { args = [], defresult } = node.CaseExpr;
    const results = args.map((one) => ('CaseWhen' in one ? one.CaseWhen.result : undefined));
    return among([...results, ...(defresult ? [defresult] : [])]);
  }
  if ('FuncCall' in node) {
    const { funcname = [], args } = node.FuncCall;
    return selecting.test(textOf(funcname.at(-1))) ? among(args) : undefined;
  }
  if ('SubLink' in node && node.SubLink.subLinkType === 'EXPR_SUBLINK' && node.SubLink.subselect)
    return outputOf(node.SubLink.subselect, scope).at(0);
  return undefined;
}

/** A column by its name, with or without the alias of its table. */
function resolve(fields: readonly Node[], scope: Scope): Origins {
  const [first = '', second] = fields.map(textOf);
  const column = second ?? first;
  const named = scope.own.filter((source) =>
    second === undefined ? source.has(column) : source.alias === first,
  );
  const [source] = named;
  if (source) return named.length === 1 ? source.of(column) : undefined;
  return scope.outer && resolve(fields, scope.outer);
}

/** The columns of a SELECT or RETURNING list. */
function columns(list: readonly Node[], scope: Scope): Output {
  const results = list.flatMap((node) => ('ResTarget' in node ? [node.ResTarget] : []));
  const fieldsOf = ({ val }: { val?: Node }) =>
    val && 'ColumnRef' in val ? (val.ColumnRef.fields ?? []) : [];
  const star = results.find((one) => fieldsOf(one).some((field) => 'A_Star' in field));
  const at = (place: number) => (star ? undefined : originsOf(results[place]?.val, scope));
  const named = (name: string) => {
    const result = results.find((one) => (one.name ?? textOf(fieldsOf(one).at(-1))) === name);
    if (result) return originsOf(result.val, scope);
    const column = { String: { sval: name } };
    return star && resolve([...fieldsOf(star).slice(0, -1), column], scope);
  };
  return { named, at };
}

/** Reads the queries inside expressions. */
function readNested(value: unknown, scope: Scope): void {
  if (typeof value !== 'object' || value === null) return;
  if ('SubLink' in value) {
    const { subselect, testexpr } = (value as { SubLink: { subselect: Node; testexpr?: Node } })
      .SubLink;
    outputOf(subselect, scope);
    readNested(testexpr, scope);
  } else for (const one of Object.values(value)) readNested(one, scope);
}

/** The origins of all values together; unknown if one of them is. */
function all<Value>(values: readonly Value[], of: (value: Value) => Origins): Origins {
  const origins = values.map(of);
  return origins.includes(undefined) ? undefined : origins.flatMap((one) => one ?? []);
}
