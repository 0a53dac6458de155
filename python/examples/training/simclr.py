"""Trains ResNet-18 without labels, as SimCLR does: two views of an image are alike, views of others are not.

    python python/examples/training/simclr.py [FOLDER [STEPS [CHECKPOINT]]]

FOLDER (default: `photos`) has JPEG files. STEPS is 1000 by default. CHECKPOINT (default: `simclr.pt`) gets the network,
without its projection, after the last step.
"""

import sys

import sluice
from sluice import ops
try:
    import torch
    import torchvision
except ModuleNotFoundError as error:
    sys.exit(f"simclr: {error.name} is missing; install it with `pip install torch torchvision`")
import sluice.torch

MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


@sluice.pipeline(batch_size=64, seed=42, on_error="replace", last_batch="fill")
def training(folder, size):
    jpeg, _ = sluice.files(folder, shuffle=True)
    first, second = ops.sim_clr(jpeg, height=size, width=size)  # decodes the file once
    return [ops.crop_mirror_normalize(view, mean=MEAN, std=STD) for view in (first, second)]


class Network(torch.nn.Module):
    """ResNet-18 and a projection to 128 numbers of length 1."""

    def __init__(self):
        super().__init__()
        self.backbone = torchvision.models.resnet18()
        self.backbone.fc = torch.nn.Identity()
        self.projection = torch.nn.Sequential(
            torch.nn.Linear(512, 512), torch.nn.ReLU(), torch.nn.Linear(512, 128))

    def forward(self, images):
        return torch.nn.functional.normalize(self.projection(self.backbone(images)), dim=1)


def nt_xent(first, second, temperature=0.5):
    """Returns the loss: each view has to find the other view of its image among all views of the batch."""
    both = torch.cat([first, second])
    alike = both @ both.T / temperature
    alike.fill_diagonal_(-torch.inf)  # a view is not its own partner
    partners = torch.arange(len(both), device=both.device).roll(len(first))
    return torch.nn.functional.cross_entropy(alike, partners)


def main(folder="photos", steps=1000, saved="simclr.pt", size=96):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(42)  # for the first weights of the network
    model = Network().to(device)
    loader = sluice.torch.Loader(training, folder, size, to=device)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4, weight_decay=1e-6)
    step = 0
    while step < int(steps):
        for first, second in loader:
            loss = nt_xent(*model(torch.cat([first, second])).chunk(2))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            if step % 100 == 0 or step == int(steps):
                print(f"step {step}: loss {loss.item():.3f}")
            if step == int(steps):
                break
    torch.save(model.backbone.state_dict(), saved)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:4])
    except sluice.Error as error:
        sys.exit(f"simclr: {error}")
