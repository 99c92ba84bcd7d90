import { createId, createToken, findEmail, isId, tokenKind } from '@bailiwick/values';

const id = createId('grp');
console.log(isId('grp', id), isId('usr', id));
console.log(tokenKind(createToken('botKey')), tokenKind('bwkb_guess'));
console.log(findEmail('Ada@Bücher.example')?.key);
