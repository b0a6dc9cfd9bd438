// A worker that never comes to an end by itself.
for (;;);
