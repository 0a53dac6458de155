#include "cli.h"

int main(int argc, char** argv) { return sluice::app::run(argc, argv); }
