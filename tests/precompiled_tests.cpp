// Stands for the headers that are precompiled for test programs.
