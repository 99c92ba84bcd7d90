import { maxRecord } from '../../client/import/mod.ts';
import { Refusal } from '../failure.ts';

// Reads the records of a JSON file of any size, one after the other.

type Container = { isList: boolean; name: string };

/**
 * The texts of the objects that are items of a list with one of these names, and the lines where they
 * begin. The name of a list is its key; the outermost list has the name ''.
 */
export async function* jsonRecords(
  pieces: AsyncIterable<string>,
  lists: readonly string[],
): AsyncGenerator<{ text: string; line: number }> {
  const open: Container[] = [];
  let text = '';
  let key = '';
  let isInText = false;
  let isEscaped = false;
  /** The record that is being read, and its depth; 0 = none. */
  let record = '';
  let depth = 0;
  let [line, began] = [1, 1];
  for await (const piece of pieces)
    for (const character of piece) {
      if (character === '\n') line++;
      if (depth > 0) record += character;
      if (record.length > maxRecord) throw new Refusal('a record of the file is larger than 1 MiB');
      if (isInText) {
        if (isEscaped) isEscaped = false;
        else if (character === '\\') isEscaped = true;
        else if (character === '"') isInText = false;
        if (isInText && depth === 0) text += character;
      } else if (character === '"') {
        isInText = true;
        text = '';
      } else if (character === ':') key = text;
      else if (character === '{' || character === '[') {
        const parent = open.at(-1);
        if (depth === 0 && character === '{' && parent?.isList && lists.includes(parent.name)) {
          record = character;
          began = line;
          depth = open.length + 1;
        }
        open.push({ isList: character === '[', name: parent?.isList ? '' : key });
        key = '';
      } else if (character === '}' || character === ']') {
        if (depth > 0 && open.length === depth) {
          yield { text: record, line: began };
          record = '';
          depth = 0;
        }
        open.pop();
      }
    }
  if (open.length > 0 || isInText) throw new Refusal('the file ends in the middle of its JSON');
}
