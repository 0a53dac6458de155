// Stands for the headers that are precompiled for all test programs.
