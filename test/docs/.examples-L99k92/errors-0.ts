import { invalid, notFound, toServiceError } from '@bailiwick/errors';

const error = notFound('group');
console.log(error.code, error.reason, error.message);

const several = invalid(['Name is required', 'Path is required']);
console.log(several.messages);

// A driver's text never leaves the process.
console.log(toServiceError(new Error('relation "user" does not exist')).message);
