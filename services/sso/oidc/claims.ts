import { isObject } from './json.ts';

// The claims that AttributeMap names. Names come from administrators, claims from providers.

type Claims = Readonly<Record<string, unknown>>;

/**
 * The value of a claim; undefined if there is none. `name` is the literal name if the claims have
 * it, else a JSON Pointer (RFC 6901) or a path with dots into objects, such as realm_access.roles. A
 * member's own name may have dots: resource_access.my.app.roles. Only own members count.
 */
export function findClaim(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name.startsWith('/') ? atPointer(claims, name) : atPath(claims, name);
}

function atPointer(claims: Claims, pointer: string): unknown {
  let node: unknown = claims;
  for (const part of pointer.slice(1).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isObject(node) || !Object.hasOwn(node, key)) return undefined;
    node = node[key];
  }
  return node;
}

/** Prefers the longest own name at each level. Visits each object at most once. */
function atPath(claims: Claims, path: string): unknown {
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const key = path.slice(0, dot);
    const inner = Object.hasOwn(claims, key) ? claims[key] : undefined;
    if (!isObject(inner)) continue;
    const rest = path.slice(dot + 1);
    const claim = Object.hasOwn(inner, rest) ? inner[rest] : atPath(inner, rest);
    if (claim !== undefined) return claim;
  }
  return undefined;
}
