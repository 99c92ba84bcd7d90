// Not form.submit(): a field of that name would stand in its place.
document.querySelector('button').click();
